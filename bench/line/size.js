/** What is fetched over a line: few enough rows for the whole grid to take minutes, and more pages than are in flight at a time. */
export const LINE_PAGES = 8;
export const LINE_PAGE_ROWS = 12_500;
