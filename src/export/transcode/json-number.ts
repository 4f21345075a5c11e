import { DIGIT_0, isDigit, LOWER_E, MINUS, PLUS, POINT, UPPER_E } from './ascii.ts';

// States of a number, which determine the allowed next bytes.
const AFTER_MINUS = 0;
const AFTER_ZERO = 1;
const IN_INTEGER = 2;
const AFTER_POINT = 3;
const IN_FRACTION = 4;
const AFTER_E = 5;
const AFTER_E_SIGN = 6;
const IN_EXPONENT = 7;

/** The number ended before this byte. */
export const END = -1;
/** The byte is not allowed here. */
export const INVALID = -2;

/** The state after one more byte; {@link END} or {@link INVALID} if the byte is not part of the number. */
export function nextInNumber(state: number, byte: number): number {
  switch (state) {
    case AFTER_MINUS:
      return beginsInteger(byte);
    case AFTER_ZERO:
      return isDigit(byte) ? INVALID : afterInteger(byte);
    case IN_INTEGER:
      return isDigit(byte) ? IN_INTEGER : afterInteger(byte);
    case AFTER_POINT:
      return isDigit(byte) ? IN_FRACTION : INVALID;
    case IN_FRACTION:
      return isDigit(byte) ? IN_FRACTION : afterFraction(byte);
    case AFTER_E:
      return byte === PLUS || byte === MINUS ? AFTER_E_SIGN : exponentDigit(byte, INVALID);
    case AFTER_E_SIGN:
      return exponentDigit(byte, INVALID);
    default:
      return exponentDigit(byte, END);
  }
}

/** Whether the number is complete in this state. */
export function mayNumberEnd(state: number): boolean {
  return state === AFTER_ZERO || state === IN_INTEGER || state === IN_FRACTION || state === IN_EXPONENT;
}

/** Why {@link nextInNumber} returned {@link INVALID}. */
export function numberFault(state: number): string {
  switch (state) {
    case AFTER_MINUS:
      return 'a minus without a number';
    case AFTER_ZERO:
      return 'a number with a leading zero';
    case AFTER_POINT:
      return 'a decimal point without digits after it';
    default:
      return 'an exponent without digits';
  }
}

/** The state of a number that starts with this byte. */
export function beginsNumber(byte: number): number {
  return byte === MINUS ? AFTER_MINUS : beginsInteger(byte);
}

function beginsInteger(byte: number): number {
  if (byte === DIGIT_0) return AFTER_ZERO;
  return isDigit(byte) ? IN_INTEGER : INVALID;
}

function afterInteger(byte: number): number {
  return byte === POINT ? AFTER_POINT : afterFraction(byte);
}

function afterFraction(byte: number): number {
  return byte === LOWER_E || byte === UPPER_E ? AFTER_E : END;
}

function exponentDigit(byte: number, otherwise: number): number {
  return isDigit(byte) ? IN_EXPONENT : otherwise;
}
