/** The share that is tried: a twentieth by `npm test`, everything and more by `npm run test:properties`. */
const SHARE = Number(process.env.PROPERTY_SHARE ?? 1 / 20);

/** Whether nothing is shortened. */
export const isFull = SHARE >= 1;

/** How many inputs a property is tried with, out of the full number. */
export function runs(full: number): number {
  return Math.ceil(full * SHARE);
}

/** The distance of what is tried, where the number is not known before: 1 in a full run. */
export const STEP = Math.max(1, Math.round(1 / SHARE));

/** Positions below `count`, evenly spread: all of them in a full run. */
export function positions(count: number): readonly number[] {
  return Array.from({ length: Math.ceil(count / STEP) }, (_, index) => index * STEP);
}
