import { isMail, MAX_CHARACTERS } from '../../apis/subscriptions/pasted-text.ts';
import { InterruptedError } from '../../errors/index.ts';
import { statSync } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { openInput } from '../../files/text-source.ts';
import type { Context } from '../framework/context.ts';

/** What was read of a source: a mail, or the bytes of a list; neither of a file that is no mail and is still to be read. */
interface ReadSource {
  readonly mail?: string;
  readonly content?: AsyncIterable<Uint8Array>;
}

/** Reads the mail that stdin (`-`) or a file is, if it begins with the header of one. Throws FileError. */
export async function mailIn(source: string, { io, signal }: Context): Promise<ReadSource> {
  if (source === '-') return await peek(io.stdin, 'standard input');
  if (!isSmallFile(source)) return {};
  const { mail } = await peek(await openInput(source, signal), source);
  return mail === undefined ? {} : { mail };
}

/** A longer text is no mail, so only its beginning is kept in memory. */
async function peek(stream: AsyncIterable<string | Uint8Array>, name: string): Promise<ReadSource> {
  const chunks: Uint8Array[] = [];
  const bytes = stream[Symbol.asyncIterator]();
  let size = 0;
  let isEnded = false;
  try {
    while (size <= MAX_CHARACTERS && !isEnded) {
      const { done = false, value } = await bytes.next();
      isEnded = done;
      if (done) break;
      const chunk = typeof value === 'string' ? Buffer.from(value) : value;
      chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    throw fileError(name, error, 'read');
  }
  const text = isEnded ? Buffer.concat(chunks).toString() : '';
  if (isMail(text)) return { mail: text };
  const content = async function* (): AsyncGenerator<Uint8Array> {
    yield* chunks;
    while (!isEnded) {
      const { done, value } = await bytes.next();
      if (done) return;
      yield typeof value === 'string' ? Buffer.from(value) : value;
    }
  };
  return { content: content() };
}

function isSmallFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_CHARACTERS;
}
