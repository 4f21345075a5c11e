/** When the clock of the embedded gateway starts unless another time is set: its figures and dates are the same in each run. */
export const SANDBOX_START = '2026-03-14T12:00:00Z';
