import { isLosslessNumber, parse } from 'lossless-json';

/** Reads a JSON body; numbers stay as they were written. Undefined where it is not JSON, or names a field twice. */
export function readJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** The text of a JSON number; undefined for anything else, and for what a double cannot hold. */
export function numberText(value: unknown): string | undefined {
  if (!isLosslessNumber(value)) return undefined;
  return Number.isFinite(Number(value.value)) ? value.value : undefined;
}

/** A whole number that a double holds exactly; undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  const number = Number(numberText(value) ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An object that is neither an array nor a number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
