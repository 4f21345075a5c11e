// A 64-bit hash of a row's text. Different rows have the same one with a chance of one in many billions.

const FIRST: u64 = 0x9e3779b97f4a7c15;
const SECOND: u64 = 0xc2b2ae3d27d4eb4f;

// Four lanes, computed side by side and combined at the end.
let one: u64 = FIRST;
let two: u64 = SECOND;
let three: u64 = SECOND;
let four: u64 = FIRST;
let length: u64 = 0;

export function beginFingerprint(): void {
  one = FIRST;
  two = SECOND;
  three = SECOND;
  four = FIRST;
  length = 0;
}

/** Hashes the text `[from, to)`. Only the last piece may have a length that is not a multiple of thirty-two. */
export function addToFingerprint(from: usize, to: usize): void {
  length += to - from;
  let a = one;
  let b = two;
  let c = three;
  let d = four;
  for (; from + 32 <= to; from += 32) {
    a = rotl(a ^ load<u64>(from), 29) * FIRST;
    b = rotl(b ^ load<u64>(from, 8), 31) * SECOND;
    c = rotl(c ^ load<u64>(from, 16), 33) * FIRST;
    d = rotl(d ^ load<u64>(from, 24), 35) * SECOND;
  }
  const left = (to - from) as i32;
  if (left > 0) {
    a = rotl(a ^ lowBytes(load<u64>(from), left), 29) * FIRST;
    b = rotl(b ^ lowBytes(load<u64>(from, 8), left - 8), 31) * SECOND;
    c = rotl(c ^ lowBytes(load<u64>(from, 16), left - 16), 33) * FIRST;
    d = rotl(d ^ lowBytes(load<u64>(from, 24), left - 24), 35) * SECOND;
  }
  one = a;
  two = b;
  three = c;
  four = d;
}

export function fingerprint(): u64 {
  let mixed = one ^ rotl(two, 13) ^ rotl(three, 32) ^ rotl(four, 47) ^ length;
  mixed = (mixed ^ (mixed >> 33)) * FIRST;
  mixed = (mixed ^ (mixed >> 29)) * SECOND;
  return mixed ^ (mixed >> 32);
}

/** Keeps the first `count` of eight bytes and clears the others, which are not part of the text. */
function lowBytes(bytes: u64, count: i32): u64 {
  if (count >= 8) return bytes;
  return count <= 0 ? 0 : bytes & (((1 as u64) << (8 * count)) - 1);
}
