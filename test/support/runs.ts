/** The share of its inputs that a property is tried with: a sixth by `npm test`, all and more by `npm run test:properties`. */
const SHARE = Number(process.env.PROPERTY_SHARE ?? 1 / 6);

/** Whether nothing is shortened. */
export const isFull = SHARE >= 1;

/** How many inputs a property is tried with, out of the full number. */
export function runs(full: number): number {
  return Math.ceil(full * SHARE);
}

/** The distance of what is tried, where the number is not known before: 1 in a full run. */
export const STEP = isFull ? 1 : 20;

/** Positions below `count`, evenly spread: all of them in a full run. */
export function positions(count: number): readonly number[] {
  return Array.from({ length: Math.ceil(count / STEP) }, (_, index) => index * STEP);
}
