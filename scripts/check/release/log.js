import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why a step did not begin: another has failed. */
class Stopped extends Error {}

/** What a release manager reads: a line for each step, on stdout and in a file, and what could not be tried here. */
export class Log {
  #path;
  #failed = false;
  #count = 0;
  #untried = [];

  /** @param {string} path of the file, which is replaced */
  constructor(path) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }

  say(line) {
    process.stdout.write(`${line}\n`);
    appendFileSync(this.#path, `${line}\n`);
  }

  /** What this machine, or any machine without an account, cannot show. */
  untried(what, why) {
    this.#untried.push(`${what}: ${why}`);
  }

  /**
   * Does one step and writes how long it took, with what it returns as detail. A step that fails is named, with the output of the program
   * that failed; no later step begins.
   * @template T
   * @param {string} name
   * @param {() => T | Promise<T>} work
   * @returns {Promise<T>}
   */
  async step(name, work) {
    if (this.#failed) throw new Stopped(name);
    const start = performance.now();
    const seconds = () => `${((performance.now() - start) / 1000).toFixed(1).padStart(5)} s`;
    try {
      const result = await work();
      this.#count++;
      this.say(`✓ ${seconds()}  ${name}${typeof result === 'string' ? `: ${result}` : ''}`);
      return result;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      this.#failed = true;
      this.say(`✗ ${seconds()}  ${name}\n\n${error.message.trim()}\n`);
      throw new Stopped(name);
    }
  }

  /** Runs lanes of steps side by side; waits for all of them, also where one fails. */
  async together(...lanes) {
    const ended = await Promise.allSettled(lanes.map(lane => lane()));
    const failed = ended
      .filter(({ status }) => status === 'rejected')
      .map(end => 'reason' in end && end.reason);
    const [reason] = failed.toSorted(
      (one, other) => Number(one instanceof Stopped) - Number(other instanceof Stopped),
    );
    if (reason !== undefined) throw reason;
  }

  /** The last lines. Returns whether everything went well; an error that no step has written is thrown. */
  end(error) {
    if (error !== undefined && !(error instanceof Stopped)) throw error;
    if (this.#untried.length > 0)
      this.say(`\nnot tried here:\n${this.#untried.map(line => `- ${line}`).join('\n')}`);
    this.say(
      `\nrelease rehearsal: ${this.#failed ? 'FAILED' : 'passed'}, ${this.#count} steps; the log is ${this.#path}`,
    );
    return !this.#failed;
  }
}
