import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { isMailAddress } from './reader.ts';

export interface ReadersFile {
  /** Addresses in the file's order, each once. */
  readonly emails: readonly string[];
  /** What is wrong, one a line, with line numbers; nothing may be sent while there is any. */
  readonly problems: readonly string[];
  readonly duplicates: number;
  /** Addresses without what a paste left around them. */
  readonly repaired: number;
}

const EMAIL_HEADERS = new Set(['email', 'e-mail', 'email address', 'e-mail address', 'reader', 'mail']);
const PROBLEMS_SHOWN = 20;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads a list of readers: one address a line, or CSV whose header names an `email` column (further columns are passed
 * over). Blank lines and lines that begin with `#` are skipped.
 */
export async function parseReaders(text: string): Promise<ReadersFile> {
  const { parse, CsvError } = await import('csv-parse/sync');
  let rows: readonly Row[];
  try {
    rows = parse(text, {
      bom: true,
      comment: '#',
      comment_no_infix: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return {
      emails: [],
      problems: [`line ${error.lines ?? '?'}: not valid CSV`],
      duplicates: 0,
      repaired: 0,
    };
  }
  const [first, ...rest] = rows;
  if (first === undefined)
    return { emails: [], problems: ['the file holds no reader'], duplicates: 0, repaired: 0 };
  const header = first.record.findIndex(name => EMAIL_HEADERS.has(name.toLowerCase()));
  if (header < 0 && first.record.length > 1) {
    return { emails: [], problems: ['line 1: no column is called email'], duplicates: 0, repaired: 0 };
  }
  const data = header < 0 ? rows : rest;
  if (data.length === 0)
    return { emails: [], problems: ['the file holds a header and no reader'], duplicates: 0, repaired: 0 };
  return collect(data, Math.max(header, 0));
}

function collect(rows: readonly Row[], column: number): ReadersFile {
  const emails = new Set<string>();
  const problems: string[] = [];
  let repaired = 0;
  for (const { record, info } of rows) {
    const pasted = withoutPasteDamage(record[column] ?? '');
    const email = 'value' in pasted ? pasted.value : '';
    if ('problem' in pasted) problems.push(`line ${info.lines}: ${pasted.problem}`);
    else if (email === '') problems.push(`line ${info.lines}: no address`);
    else if (!isMailAddress(email)) problems.push(`line ${info.lines}: not an e-mail address`);
    else {
      emails.add(email);
      if ('removed' in pasted && pasted.removed.length > 0) repaired += 1;
    }
  }
  const bad = problems.length;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more lines`);
  return { emails: [...emails], problems: shown, duplicates: rows.length - bad - emails.size, repaired };
}
