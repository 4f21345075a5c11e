import { BACKSLASH, hexValue, LOWER_B, LOWER_F, LOWER_N, LOWER_R, LOWER_T, LOWER_U } from './ascii.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { utf8Text } from './utf8.ts';

/**
 * Appends the value of a JSON string as UTF-8; `[from, to)` excludes the quotes. Appends at most as many bytes. A lone surrogate
 * becomes U+FFFD.
 */
export function writeResolved(out: ByteBuffer, text: DataView, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const byte = text.getUint8(at);
    if (byte !== BACKSLASH) {
      out.put(byte);
      at++;
      continue;
    }
    const escaped = text.getUint8(at + 1);
    if (escaped !== LOWER_U) {
      out.put(simpleEscape(escaped));
      at += 2;
      continue;
    }
    const unit = codeUnit(text, at + 2);
    at += 6;
    const next = isHighSurrogate(unit) && at + 6 <= to ? escapedUnit(text, at) : -1;
    if (isLowSurrogate(next)) {
      writeCodePoint(out, 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
      at += 6;
    } else writeCodePoint(out, isHighSurrogate(unit) || isLowSurrogate(unit) ? 0xfffd : unit);
  }
}

/** The value of a JSON string; `[from, to)` excludes the quotes. */
export function resolvedText(text: DataView, from: number, to: number): string {
  const resolved = new ByteBuffer(to - from);
  writeResolved(resolved, text, from, to);
  return utf8Text(resolved.view, 0, resolved.length);
}

function simpleEscape(letter: number): number {
  switch (letter) {
    case LOWER_B:
      return 0x08;
    case LOWER_F:
      return 0x0c;
    case LOWER_N:
      return 0x0a;
    case LOWER_R:
      return 0x0d;
    case LOWER_T:
      return 0x09;
    default:
      return letter;
  }
}

/** The code unit of the \uXXXX at `at`; -1 if there is none. */
function escapedUnit(text: DataView, at: number): number {
  return text.getUint8(at) === BACKSLASH && text.getUint8(at + 1) === LOWER_U ? codeUnit(text, at + 2) : -1;
}

function codeUnit(text: DataView, at: number): number {
  let unit = 0;
  for (let digit = 0; digit < 4; digit++) unit = unit * 16 + hexValue(text.getUint8(at + digit));
  return unit;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function writeCodePoint(out: ByteBuffer, point: number): void {
  if (point < 0x80) {
    out.put(point);
    return;
  }
  if (point < 0x800) out.put(0xc0 | (point >> 6));
  else {
    if (point < 0x10000) out.put(0xe0 | (point >> 12));
    else {
      out.put(0xf0 | (point >> 18));
      out.put(0x80 | ((point >> 12) & 0x3f));
    }
    out.put(0x80 | ((point >> 6) & 0x3f));
  }
  out.put(0x80 | (point & 0x3f));
}
