/** The share that is tried: a quarter by `npm test`, everything and more by `npm run test:properties`. */
const SHARE = Number(process.env.PROPERTY_SHARE ?? 0.25);

/** Whether nothing is shortened. */
export const isFull = SHARE >= 1;

/** How many inputs a property is tried with, out of the full number. */
export function runs(full: number): number {
  return Math.ceil(full * SHARE);
}

/** Positions below `count`, evenly spread: all of them in a full run. */
export function positions(count: number): readonly number[] {
  const step = Math.max(1, Math.round(1 / SHARE));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}
