import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { GatectlError } from '../../errors/index.ts';
import { mapConcurrently } from '../../http/concurrent.ts';
import type { Sender } from '../../http/sender.ts';
import type { Redactor } from '../../text/redactor.ts';
import { type CheckedTarget, checkTargets, failsEveryReader } from './check-access.ts';

/** The decisions on one reader of a list, one for each target; or why they could not be had, without secrets. */
export type CheckedReader =
  | { readonly email: string; readonly decisions: readonly (readonly [AccessTarget, CheckedTarget])[] }
  | { readonly email: string; readonly error: string };

interface ReadersOptions {
  readonly sender: Sender;
  readonly site: Site;
  readonly targets: readonly AccessTarget[];
  /** Maximum requests in flight; undefined for as many as the server accepts. */
  readonly most: number | undefined;
  /** Hides each address while it is checked. That of an error that ends the checks stays hidden. */
  readonly redactor: Redactor;
  /** Called as soon as a reader is checked, in any order. */
  readonly onChecked: (reader: CheckedReader) => void;
}

/**
 * Checks the access of readers, several at once, and yields them in order. An error that concerns one reader is its result; throws those
 * that concern all.
 */
export function checkReaders(
  emails: Iterable<string>,
  { sender, site, targets, most, redactor, onChecked }: ReadersOptions,
): AsyncIterable<CheckedReader> {
  const check = async (email: string): Promise<CheckedReader> => {
    redactor.add(email);
    try {
      return { email, decisions: await checkTargets(sender, site, { kind: 'email', email }, targets) };
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      return { email, error: redactor.redact(error.message) };
    }
  };
  const checkAndReport = async (email: string): Promise<CheckedReader> => {
    const reader = await check(email);
    onChecked(reader);
    redactor.remove(email);
    return reader;
  };
  return mapConcurrently(emails, checkAndReport, { most, capacity: () => sender.capacity('subscriptions') });
}
