import { isLosslessNumber, parse } from 'lossless-json';

/** Parses a JSON body; numbers keep their text. Undefined if it is not JSON, or contains a field twice. */
export function readJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** The text of a JSON number; undefined for other values, and for numbers outside the range of a double. */
export function numberText(value: unknown): string | undefined {
  if (!isLosslessNumber(value)) return undefined;
  return Number.isFinite(Number(value.value)) ? value.value : undefined;
}

/** A safe integer; undefined for other values. */
export function integerOf(value: unknown): number | undefined {
  const number = Number(numberText(value) ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An object that is neither an array nor a number. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
