// The thread of scripts/fuzz/fuzz.js that runs one target: mutates inputs, runs them, and keeps those that reach new code.
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { COVERAGE, MAX_INPUT, MAX_KEPT } from './limits.js';

/** Which statements and branches were reached, and roughly how often: 1, 2, 3, 4, 8, 16, 32, 128 times or more. */
class Coverage {
  reached = 0;
  #counters;
  #seen;

  constructor({ s, b }) {
    this.#counters = [s, ...Object.values(b)];
    this.forget();
  }

  forget() {
    this.reached = 0;
    this.#seen = this.#counters.map(counts => new Uint8Array(Object.keys(counts).length));
  }

  /** Whether the runs since the last call reached anything new. Sets the counters back. */
  hasNew() {
    let isNew = false;
    for (let i = 0; i < this.#counters.length; i++) {
      const counts = this.#counters[i];
      const seen = this.#seen[i];
      for (let j = 0; j < seen.length; j++) {
        const count = counts[j];
        if (count === 0) continue;
        counts[j] = 0;
        const bit = bucket(count);
        if ((seen[j] & bit) !== 0) continue;
        seen[j] |= bit;
        this.reached += 1;
        isNew = true;
      }
    }
    return isNew;
  }
}

await work(workerData);

async function work({ file, seconds, seed, corpus: known, shared }) {
  const { target } = createRequire(import.meta.url)(file);
  const coverage = new Coverage(globalThis[COVERAGE][file]);
  const random = generator(seed);
  const state = new Int32Array(shared, 0, 2);
  const bytes = new Uint8Array(shared, 8);
  const dictionary = target.dictionary.map(text => Buffer.from(text));
  const corpus = [];
  const findings = new Map();
  let runs = 0;

  /** Shows the main thread which input is tried, and that the one before came to an end. */
  const show = input => {
    bytes.set(input);
    Atomics.store(state, 1, input.length);
    Atomics.add(state, 0, 1);
  };
  const run = async input => {
    show(input);
    runs += 1;
    try {
      const pending = target.run(input);
      if (pending !== undefined) await pending;
    } catch (error) {
      // One finding for one place in the code.
      const reason = String(error?.stack ?? error);
      const place = reason.split('\n').slice(0, 3).join('\n').replace(/\d+/g, '');
      const earlier = findings.get(place);
      if (earlier === undefined || earlier.input.length > input.length)
        findings.set(place, {
          input: Buffer.from(input),
          reason: reason.split('\n').slice(0, 4).join('\n    '),
        });
    }
    if (coverage.hasNew()) corpus.push(Buffer.from(input));
  };

  for (const text of known) await run(Buffer.from(text, 'latin1'));
  for (const token of dictionary) await run(token);
  await run(Buffer.concat(dictionary).subarray(0, MAX_INPUT));
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    // Newer inputs are chosen more often.
    const at = Math.floor(corpus.length * Math.sqrt(random()));
    await run(mutated(corpus[at] ?? Buffer.alloc(0), { corpus, dictionary, random }));
  }
  const smallest = await reduced(
    corpus,
    input => {
      show(input);
      return target.run(input);
    },
    coverage,
  );
  parentPort.postMessage({
    runs,
    reached: coverage.reached,
    corpus: smallest.map(input => input.toString('latin1')),
    findings: [...findings.values()],
  });
}

/** A few of the inputs, small ones alone and first, that together reach what these reach. */
async function reduced(corpus, run, coverage) {
  coverage.forget();
  const chosen = [];
  for (const input of [...corpus].sort((one, other) => one.length - other.length)) {
    if (input.length > MAX_KEPT) break;
    try {
      await run(input);
    } catch {
      // A finding, which is reported as such.
      continue;
    }
    if (coverage.hasNew()) chosen.push(input);
  }
  return chosen;
}

function bucket(count) {
  if (count <= 3) return 1 << (count - 1);
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function mutated(input, { corpus, dictionary, random }) {
  const below = limit => Math.floor(random() * limit);
  const slice = from => {
    const start = below(from.length + 1);
    return from.subarray(start, start + 1 + below(from.length - start + 1));
  };
  const replaced = (from, count, by) =>
    Buffer.concat([input.subarray(0, from), by, input.subarray(from + count)]);
  for (let left = 1 + below(4); left > 0; left -= 1) {
    const at = below(input.length + 1);
    switch (below(8)) {
      case 0:
        input = replaced(at, 1, Buffer.from([below(256)]));
        break;
      case 1:
        input = replaced(at, 1, Buffer.from([(input[at] ?? 0) ^ (1 << below(8))]));
        break;
      case 2:
        input = replaced(at, 1 + below(8), Buffer.alloc(0));
        break;
      case 3:
        input = replaced(at, 0, slice(input));
        break;
      case 4:
        input = replaced(at, below(8), slice(corpus[below(corpus.length)] ?? input));
        break;
      case 5:
        input = replaced(at, 0, Buffer.from([32 + below(95)]));
        break;
      default:
        input = replaced(at, below(2) * below(8), dictionary[below(dictionary.length)] ?? Buffer.alloc(0));
    }
  }
  return input.subarray(0, MAX_INPUT);
}
