import { type ListColumn, type ListEntry, readList } from '../../files/list.ts';
import type { TextSource } from '../../files/text-source.ts';
import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { AddressList } from './address-list.ts';
import { isMailAddress } from './reader.ts';

export interface ReadersFile {
  /** Addresses in the file's order, each once. */
  readonly emails: AddressList;
  /** What is wrong, one a line, with line numbers; nothing may be sent while there is any. */
  readonly problems: readonly string[];
  readonly duplicates: number;
  /** Addresses without what a paste left around them. */
  readonly repaired: number;
}

const EMAIL_COLUMN: ListColumn = {
  what: 'e-mail address',
  names: new Set(['email', 'e-mail', 'email address', 'e-mail address', 'reader', 'mail']),
  // A mistyped address in the first line is reported, not taken for a header.
  isValue: text => /^[^,;\t]+@[^,;\t]+$/.test(text),
};
const PROBLEMS_SHOWN = 20;

/**
 * Reads a list of readers as it arrives: one address per line, the column of CSV or the field of JSON that holds addresses
 * (others are ignored). Blank lines and lines that begin with `#` are skipped. Throws what `readList` throws.
 */
export async function readReaders(source: TextSource, signal?: AbortSignal): Promise<ReadersFile> {
  const emails = new AddressList();
  const problems: string[] = [];
  let bad = 0;
  let duplicates = 0;
  let repaired = 0;
  for await (const block of readList(source, EMAIL_COLUMN, signal)) {
    for (const entry of block) {
      const checked = checkedEntry(entry);
      if ('problem' in checked) {
        bad += 1;
        if (bad <= PROBLEMS_SHOWN) problems.push(`${placeOf(entry)}: ${checked.problem}`);
      } else if (!emails.add(checked.email)) duplicates += 1;
      else if (checked.isRepaired) repaired += 1;
    }
  }
  if (bad > PROBLEMS_SHOWN) problems.push(`and ${bad - PROBLEMS_SHOWN} more`);
  if (emails.size === 0 && bad === 0) problems.push('the list contains no reader');
  return { emails, problems, duplicates, repaired };
}

type CheckedEntry = { readonly email: string; readonly isRepaired: boolean } | { readonly problem: string };

function checkedEntry({ text, fault }: ListEntry): CheckedEntry {
  if (fault !== undefined) return { problem: fault === 'nul' ? 'contains a NUL byte' : 'not UTF-8 text' };
  const pasted = withoutPasteDamage(text);
  if ('problem' in pasted) return pasted;
  const { value: email, removed } = pasted;
  if (email === '') return { problem: 'no address' };
  if (!isMailAddress(email)) return { problem: 'not an e-mail address' };
  return { email, isRepaired: removed.length > 0 };
}

function placeOf({ place }: ListEntry): string {
  return typeof place === 'number' ? `line ${place}` : place;
}
