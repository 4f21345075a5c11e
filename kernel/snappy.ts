// Snappy (https://github.com/google/snappy/blob/main/format_description.txt): greedy, in blocks of 64 KB.

const BLOCK: usize = 64 * 1024;
const HASH_BITS: u32 = 14;
export const HASH_TABLE_BYTES: i32 = 2 << HASH_BITS;
/** With fewer bytes left, no match is searched. */
const MARGIN: usize = 15;

/** Compresses `[from, to)`; `table` is memory for the hash table. Returns the end of the output. */
export function compress(from: usize, to: usize, out: usize, table: usize): usize {
  out = varint((to - from) as u32, out);
  for (; from < to; from += BLOCK) out = compressBlock(from, min(to, from + BLOCK), out, table);
  return out;
}

/** Writes a number as a varint, lowest bits first. */
export function varint(value: u32, out: usize): usize {
  while (value >= 0x80) {
    store<u8>(out++, value | 0x80);
    value >>= 7;
  }
  store<u8>(out, value);
  return out + 1;
}

function compressBlock(from: usize, to: usize, out: usize, table: usize): usize {
  let pending = from;
  if (to - from > MARGIN) {
    memory.fill(table, 0, HASH_TABLE_BYTES);
    const limit = to - MARGIN;
    let at = from + 1;
    while (at < limit) {
      // The longer nothing matches, the fewer positions are tried.
      let tries: usize = 32;
      let match: usize = 0;
      while (true) {
        const slot = slotOf(load<u32>(at), table);
        match = from + load<u16>(slot);
        store<u16>(slot, (at - from) as u16);
        if (load<u32>(match) === load<u32>(at)) break;
        at += tries++ >> 5;
        if (at >= limit) break;
      }
      if (at >= limit) break;
      out = literal(pending, at, out);
      while (true) {
        const start = at;
        const offset = at - match;
        at = sameUntil(match + 4, at + 4, to);
        out = copyOf(offset, at - start, out);
        pending = at;
        if (at >= limit) break;
        store<u16>(slotOf(load<u32>(at - 1), table), (at - 1 - from) as u16);
        const slot = slotOf(load<u32>(at), table);
        match = from + load<u16>(slot);
        store<u16>(slot, (at - from) as u16);
        if (load<u32>(match) !== load<u32>(at)) break;
      }
      at++;
    }
  }
  return pending < to ? literal(pending, to, out) : out;
}

function slotOf(word: u32, table: usize): usize {
  return table + 2 * ((word * 0x1e35a7bd) >> (32 - HASH_BITS));
}

/** The first address from `at` on whose byte differs from the one at the same distance from `other`. */
function sameUntil(other: usize, at: usize, to: usize): usize {
  for (; at + 8 <= to; at += 8, other += 8) {
    const different = load<u64>(at) ^ load<u64>(other);
    if (different !== 0) return at + ((ctz(different) >> 3) as usize);
  }
  while (at < to && load<u8>(at) === load<u8>(other)) {
    at++;
    other++;
  }
  return at;
}

function literal(from: usize, to: usize, out: usize): usize {
  const length = to - from;
  if (length === 0) return out;
  const last = length - 1;
  if (last < 60) store<u8>(out++, (last << 2) as u8);
  else if (last < 256) {
    store<u8>(out, 60 << 2);
    store<u8>(out + 1, last as u8);
    out += 2;
  } else {
    store<u8>(out, 61 << 2);
    store<u16>(out + 1, last as u16);
    out += 3;
  }
  memory.copy(out, from, length);
  return out + length;
}

function copyOf(offset: usize, length: usize, out: usize): usize {
  while (length >= 68) {
    out = copyOfAtMost64(offset, 64, out);
    length -= 64;
  }
  if (length > 64) {
    out = copyOfAtMost64(offset, 60, out);
    length -= 60;
  }
  return copyOfAtMost64(offset, length, out);
}

function copyOfAtMost64(offset: usize, length: usize, out: usize): usize {
  if (length >= 12 || offset >= 2048) {
    store<u8>(out, (2 | ((length - 1) << 2)) as u8);
    store<u16>(out + 1, offset as u16);
    return out + 3;
  }
  store<u8>(out, (1 | ((length - 4) << 2) | ((offset >> 8) << 5)) as u8);
  store<u8>(out + 1, offset as u8);
  return out + 2;
}
