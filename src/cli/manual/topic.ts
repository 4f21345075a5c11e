/** A part of a topic: a paragraph, a heading, terms with their meaning, or command lines. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly Term[] }
  | { readonly kind: 'commands'; readonly lines: readonly string[] };

export interface Term {
  readonly term: string;
  readonly means: string;
}

/** A help topic: `gatectl help NAME`, and a manual page. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export const text = (text: string): Block => ({ kind: 'text', text });
export const heading = (text: string): Block => ({ kind: 'heading', text });
export const commands = (...lines: readonly string[]): Block => ({ kind: 'commands', lines });
export const terms = (meanings: Readonly<Record<string, string>>): Block => ({
  kind: 'terms',
  terms: termsIn(meanings),
});

/** Terms by their names, in this order. */
export function termsIn(meanings: Readonly<Record<string, string>>): readonly Term[] {
  return Object.entries(meanings).map(([term, means]) => ({ term, means }));
}
