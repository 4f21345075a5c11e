import { similar } from '../../../errors/nearest.ts';

/** Additional values of a billing list that mean paid or not paid. Case is ignored. */
export interface PaidWords {
  readonly paid: readonly string[];
  readonly unpaid: readonly string[];
}

/** Yes in the languages in which spreadsheets and billing systems write it, and states that include access. */
const PAID = new Set([
  ...'yes y true t 1 x ✓ ✔ ok paid active current enabled trial trialing ja wahr aktiv bezahlt sí si verdadero activo activa pagado oui vrai actif active payé'.split(
    ' ',
  ),
  'in trial',
  'non renewing',
  'pending cancel',
  'pending cancellation',
]);
const UNPAID = new Set([
  ...'no n false f 0 - – — ✗ ✘ none null free unpaid inactive cancelled canceled expired ended lapsed refunded terminated deleted disabled churned nein falsch inaktiv gekündigt falso inactivo inactiva cancelado cancelada non faux inactif inactive annulé résilié'.split(
    ' ',
  ),
  'incomplete expired',
  'not paid',
]);
/** States in which a site may grant access or not. */
const UNCLEAR = new Set([
  'past due',
  'overdue',
  'pending',
  'incomplete',
  'paused',
  'on hold',
  'suspended',
  'in dunning',
  'dunning',
  'future',
  'unknown',
  'n/a',
  '?',
]);

/** Whether a value means paid, or why that is unknown. */
type Expectation = { readonly isPaid: boolean } | { readonly problem: string };

/**
 * Whether a value of a billing list means that the reader has paid. A state such as `active` or `cancelled`, yes or no decides; an
 * empty value means not paid, and the name of a plan means paid. Values that could mean either are a problem: `past_due`, a date, an
 * amount, a mistyped state.
 */
export function expectationOf(value: string, { paid, unpaid }: PaidWords): Expectation {
  const word = normalized(value);
  if (paid.some(each => normalized(each) === word)) return { isPaid: true };
  if (unpaid.some(each => normalized(each) === word)) return { isPaid: false };
  if (word === '' || UNPAID.has(word)) return { isPaid: false };
  if (PAID.has(word)) return { isPaid: true };
  if (word.includes('@')) return { problem: 'an e-mail address is not a payment status' };
  const problem = `cannot determine whether '${value.slice(0, 40)}' means paid`;
  if (UNCLEAR.has(word) || !isName(word)) return { problem };
  const [meant] = isMistyped(word);
  return meant === undefined ? { isPaid: true } : { problem: `${problem}; did you mean ${meant}?` };
}

/** `Past_Due`, `past-due` and `wc-past due` are the same state. */
function normalized(text: string): string {
  const trimmed = text.trim().toLowerCase().replace(/^wc-/, '');
  return trimmed.length > 1 ? trimmed.replace(/(?<=[\p{L}\p{N}])[\s_-]+/gu, ' ').trim() : trimmed;
}

/** Whether a value may be the name of a plan: it has a letter, and is neither a date nor an address. */
function isName(word: string): boolean {
  return /\p{L}/u.test(word) && !/^\d{4} \d\d|^https?:/.test(word);
}

/** A long state that differs from a word in one or two letters. */
function isMistyped(word: string): readonly string[] {
  if (word.length < 5) return [];
  const states = [...PAID, ...UNPAID, ...UNCLEAR].filter(
    state => state.length >= 5 && Math.abs(state.length - word.length) <= 1,
  );
  return similar(word, states);
}
