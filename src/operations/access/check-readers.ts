import type { Reader } from '../../apis/subscriptions/reader.ts';
import { GatectlError } from '../../errors/index.ts';
import { mapConcurrently } from '../../http/concurrent.ts';
import type { Sender } from '../../http/sender.ts';
import type { Redactor } from '../../text/redactor.ts';
import { failsEveryReader } from './check-access.ts';

/** What was found out about one reader of a list; or why nothing was, without secrets. */
export type CheckedReader<Found> =
  | { readonly email: string; readonly found: Found }
  | { readonly email: string; readonly error: string };

interface ReadersOptions<Found> {
  readonly sender: Sender;
  /** Maximum requests in flight; undefined for as many as the server accepts. */
  readonly most: number | undefined;
  /** Hides each address while it is checked. That of an error that ends the checks stays hidden. */
  readonly redactor: Redactor;
  /** Called as soon as a reader is checked, in any order. */
  readonly onChecked: (reader: CheckedReader<Found>) => void;
}

/**
 * Calls `look` for each reader, several at once, and yields what it found, in order. An error that concerns one reader is its result; throws
 * those that concern all.
 */
export function checkReaders<Found>(
  emails: Iterable<string>,
  look: (reader: Reader) => Promise<Found>,
  { sender, most, redactor, onChecked }: ReadersOptions<Found>,
): AsyncIterable<CheckedReader<Found>> {
  const check = async (email: string): Promise<CheckedReader<Found>> => {
    redactor.add(email);
    try {
      return { email, found: await look({ kind: 'email', email }) };
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      return { email, error: redactor.redact(error.message) };
    }
  };
  const checkAndReport = async (email: string): Promise<CheckedReader<Found>> => {
    const reader = await check(email);
    onChecked(reader);
    redactor.remove(email);
    return reader;
  };
  return mapConcurrently(emails, checkAndReport, { most, capacity: () => sender.capacity('subscriptions') });
}
