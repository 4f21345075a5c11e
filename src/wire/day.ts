/** Milliseconds of a day of the calendar; days of the spec (`YYYY-MM-DD`) are counted in UTC. */
export const DAY_MS = 86_400_000;
