import { dirname } from 'node:path';
import { appendText, syncFolder } from './disk-io.ts';
import { makeFolder } from './folders.ts';

/**
 * Creates folders and files below a root so that their names outlive a power cut: a flushed file is lost with the folder above it whose
 * name was not. Names that another process made are flushed too, once, because it may have been killed before it did so.
 */
export class DurableNames {
  readonly #root: string;
  /** Folders and files whose names this process has flushed. */
  readonly #flushed = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Creates the folder of a file and those above it, unless they exist. Throws FileError. */
  async makeFolderOf(path: string): Promise<void> {
    for (const made of await makeFolder(dirname(path))) {
      this.#flushed.delete(made);
      await this.#flush(made);
    }
    for (let at = dirname(path); at.length >= this.#root.length; at = dirname(at)) {
      await this.#flush(at);
      if (at === dirname(at)) break;
    }
  }

  /** Appends lines to a file, which is created with its folder, and waits until they are on the disk. Throws FileError. */
  async append(path: string, text: string): Promise<void> {
    await this.makeFolderOf(path);
    await appendText(path, text);
    await this.#flush(path);
  }

  async #flush(path: string): Promise<void> {
    if (this.#flushed.has(path)) return;
    await syncFolder(dirname(path));
    this.#flushed.add(path);
  }
}
