/**
 * What is fetched over a line: few enough rows for the whole grid to take minutes, and more pages than are in flight at a time.
 * LINE_PAGE_ROWS=100000 makes them 800,000, so that less of the time is process start.
 */
export const LINE_PAGES = 8;
export const LINE_PAGE_ROWS = Number(process.env.LINE_PAGE_ROWS ?? 12_500);
