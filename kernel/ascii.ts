export const TAB: u8 = 0x09;
export const LF: u8 = 0x0a;
export const CR: u8 = 0x0d;
export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const PLUS: u8 = 0x2b;
export const COMMA: u8 = 0x2c;
export const MINUS: u8 = 0x2d;
export const POINT: u8 = 0x2e;
export const SLASH: u8 = 0x2f;
export const DIGIT_0: u8 = 0x30;
export const COLON: u8 = 0x3a;
export const OPEN_ARRAY: u8 = 0x5b;
export const BACKSLASH: u8 = 0x5c;
export const CLOSE_ARRAY: u8 = 0x5d;
export const LOWER_A: u8 = 0x61;
export const LOWER_B: u8 = 0x62;
export const LOWER_E: u8 = 0x65;
export const LOWER_F: u8 = 0x66;
export const LOWER_N: u8 = 0x6e;
export const LOWER_R: u8 = 0x72;
export const LOWER_T: u8 = 0x74;
export const LOWER_U: u8 = 0x75;
export const LOWER_Z: u8 = 0x7a;
export const OPEN_OBJECT: u8 = 0x7b;
export const CLOSE_OBJECT: u8 = 0x7d;

/** Whether a byte is JSON white space. */
export function isBlank(byte: u8): bool {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

export function isDigit(byte: u8): bool {
  return byte - DIGIT_0 < 10;
}

export function isLetter(byte: u8): bool {
  const letter = byte | 0x20;
  return letter >= LOWER_A && letter <= LOWER_Z;
}
