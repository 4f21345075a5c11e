import { UsageError } from '../../../errors/index.ts';
import { nearest } from '../../../errors/nearest.ts';
import type { Reason } from '../../../errors/reasons.ts';

/** The placeholders of a template, and their meaning. */
export const PLACEHOLDERS = { product: 'the product handle', domain: 'the domain of the site' } as const;
type ReplyValues = Readonly<Record<keyof typeof PLACEHOLDERS, string>>;

const MAX_CHARACTERS = 10_000;
const PLACEHOLDER = /\{([^{}\n]*)\}/g;

/** The text of a reply. */
export function fillTemplate(template: string, values: ReplyValues): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof ReplyValues] : whole,
  );
}

/** Throws UsageError for an empty text, a long one, and for a placeholder that does not exist. */
export function assertTemplate(text: string): void {
  const names = Object.keys(PLACEHOLDERS);
  const values = names.map(name => `{${name}}`);
  const placeholders: Reason = { name: 'known', what: 'placeholders', values };
  if (text.trim() === '')
    throw new UsageError('the reply is empty', { code: 'invalid_input', reason: 'empty_reply' });
  if (text.length > MAX_CHARACTERS) throw invalid(`the reply is longer than ${MAX_CHARACTERS} characters`);
  const hidden = /[^\P{Cc}\n\t]/u.exec(text);
  if (hidden !== null)
    throw invalid(
      `the reply contains the control character U+${hidden[0].codePointAt(0)?.toString(16).padStart(4, '0')}`,
    );
  for (const [whole, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (names.includes(name)) continue;
    const meant = nearest(name, names);
    throw invalid(
      `unknown placeholder ${whole}`,
      meant === undefined ? placeholders : { name: 'similar', meant: `{${meant}}` },
    );
  }
  if (/[{}]/.test(text.replace(PLACEHOLDER, '')))
    throw invalid('a brace in the reply is not part of a placeholder', placeholders);
}

function invalid(message: string, reason?: Reason): UsageError {
  return new UsageError(message, { code: 'invalid_input', reason });
}
