import type { Reason } from '../errors/reasons.ts';

/** What is wrong at one place of a document. */
export interface Problem {
  /** `tables.pages.metrics[0]`; empty for the document. */
  readonly path: string;
  /** Line and column, such as `3:9`. */
  readonly place: string;
  readonly message: string;
  readonly advice?: Advice | undefined;
}

/** What to do about a problem. */
export interface Advice {
  readonly hints?: readonly string[];
  readonly reason?: Reason;
}

/** A document that is not what its declaration says, with all its problems in its order. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  readonly problems: readonly [Problem, ...Problem[]];

  constructor([first, ...others]: readonly [Problem, ...Problem[]]) {
    super(`${first.place}: ${first.message}`);
    this.problems = [first, ...others];
  }
}

type Content =
  | { readonly kind: 'empty' }
  /** `text` is how it is written, without quotes. */
  | { readonly kind: 'scalar'; readonly value: string | number | boolean; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Located[] }
  | { readonly kind: 'map'; readonly members: readonly Located[] };

interface Parts {
  readonly name: string;
  readonly path: string;
  readonly namePlace: string;
  readonly place: string;
  readonly content: Content;
}

/** A value of a document, with its place. */
export class Located {
  /** What messages call it: the name of the setting, or of the list that it is an item of. */
  readonly name: string;
  readonly path: string;
  /** Line and column of its name, such as `3:1`; for an item of a list, its own. */
  readonly namePlace: string;
  /** Line and column of the value, or of the name without one. */
  readonly place: string;
  readonly content: Content;

  constructor({ name, path, namePlace, place, content }: Parts) {
    this.name = name;
    this.path = path;
    this.namePlace = namePlace;
    this.place = place;
    this.content = content;
  }

  /** The same place with another content. */
  with(content: Content): Located {
    return new Located({ ...this, content });
  }

  /** The setting that these names lead to, or the last one of them that is there. */
  find(...[name, ...others]: readonly string[]): Located {
    const { content } = this;
    const found = content.kind === 'map' ? content.members.find(member => member.name === name) : undefined;
    return found?.find(...others) ?? this;
  }

  /** The name as a value of its own. */
  asName(): Located {
    const { name, namePlace } = this;
    return new Located({ ...this, place: namePlace, content: { kind: 'scalar', value: name, text: name } });
  }

  /** The error for a problem of the value. */
  invalid(message: string, advice?: Advice): DocumentError {
    return this.#error(this.place, message, advice);
  }

  /** The error for a problem of the name. */
  invalidName(message: string, advice?: Advice): DocumentError {
    return this.#error(this.namePlace, message, advice);
  }

  #error(place: string, message: string, advice: Advice | undefined): DocumentError {
    return new DocumentError([{ path: this.path, place, message, advice }]);
  }
}

/** The results of all functions. Throws DocumentError with the problems of all that fail. */
export function gather<Value>(reads: Iterable<() => Value>): Value[] {
  const values: Value[] = [];
  const problems: Problem[] = [];
  for (const read of reads) {
    try {
      values.push(read());
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      problems.push(...error.problems);
    }
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new DocumentError([first, ...others]);
  return values;
}
