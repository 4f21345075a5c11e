// Sixty-four bits that stand for a row's text: two rows that have the same are the same, but for a chance of one in many billions.

const FIRST: u64 = 0x9e3779b97f4a7c15;
const SECOND: u64 = 0xc2b2ae3d27d4eb4f;

let one: u64 = FIRST;
let two: u64 = SECOND;
let length: u64 = 0;

export function beginFingerprint(): void {
  one = FIRST;
  two = SECOND;
  length = 0;
}

/** Goes on with the text `[from, to)`; only the last piece may have a length that is no multiple of sixteen. */
export function addToFingerprint(from: usize, to: usize): void {
  length += to - from;
  let a = one;
  let b = two;
  for (; from + 16 <= to; from += 16) {
    a = rotl(a ^ load<u64>(from), 29) * FIRST;
    b = rotl(b ^ load<u64>(from, 8), 31) * SECOND;
  }
  const left = (to - from) as i32;
  if (left > 0) {
    a = rotl(a ^ lowBytes(load<u64>(from), left), 29) * FIRST;
    b = rotl(b ^ lowBytes(load<u64>(from, 8), left - 8), 31) * SECOND;
  }
  one = a;
  two = b;
}

export function fingerprint(): u64 {
  let mixed = one ^ rotl(two, 32) ^ length;
  mixed = (mixed ^ (mixed >> 33)) * FIRST;
  mixed = (mixed ^ (mixed >> 29)) * SECOND;
  return mixed ^ (mixed >> 32);
}

/** The first `count` bytes of eight; the others are none of the text. */
function lowBytes(bytes: u64, count: i32): u64 {
  if (count >= 8) return bytes;
  return count <= 0 ? 0 : bytes & (((1 as u64) << (8 * count)) - 1);
}
