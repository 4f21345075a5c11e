import { similar } from '../errors/nearest.ts';
import { isList, isRecord, type Json } from '../json/index.ts';

/** What a document contains at one place. Nothing is declared about a `value`. */
export type Shape =
  | { readonly kind: 'value' }
  | { readonly kind: 'list'; readonly of: Shape }
  /** An object whose keys are ids. */
  | { readonly kind: 'map'; readonly of: Shape }
  | Declaration;

/** An object with named members. */
export interface Declaration {
  readonly kind: 'record';
  /** What messages call it, with its article. */
  readonly name: string;
  readonly members: Readonly<Record<string, Shape>>;
}

/** A member that its object does not declare. */
interface UnknownMember {
  readonly name: string;
  /** `Charts[0].order` */
  readonly field: string;
  /** Where it is, from the outermost object. */
  readonly path: readonly (string | number)[];
  /** `is not a member of a chart; did you mean "Order"?` */
  readonly message: string;
}

export const VALUE: Shape = { kind: 'value' };
export const listOf = (of: Shape): Shape => ({ kind: 'list', of });
export const mapOf = (of: Shape): Shape => ({ kind: 'map', of });

/** Declares an object: its members are those of the wire type, which the compiler checks. */
export function record<Wire>(
  name: string,
  members: Readonly<Record<keyof Wire & string, Shape>>,
): Declaration {
  return { kind: 'record', name, members };
}

/** The object with more members. */
export function extended(declaration: Declaration, more: Readonly<Record<string, Shape>>): Declaration {
  return { ...declaration, members: { ...declaration.members, ...more } };
}

/**
 * The members, at any depth, that a document does not declare; those named in `allowed` are accepted wherever they are. `isSame` compares a
 * name with a declared one.
 */
export function unknownMembers(
  document: Json,
  shape: Shape,
  allowed: readonly string[] = [],
  isSame = (one: string, declared: string) => one === declared,
): UnknownMember[] {
  const found: UnknownMember[] = [];
  const visit = (value: Json | undefined, at: Shape, path: readonly (string | number)[]): void => {
    if (value === undefined || at.kind === 'value') return;
    if (at.kind === 'list') {
      if (isList(value)) for (const [index, item] of value.entries()) visit(item, at.of, [...path, index]);
      return;
    }
    if (!isRecord(value)) return;
    for (const [name, item] of Object.entries(value)) {
      const own = [...path, name];
      const declared =
        at.kind === 'map' ? at.of : Object.entries(at.members).find(([known]) => isSame(name, known))?.[1];
      if (declared !== undefined) visit(item, declared, own);
      else if (at.kind === 'map') continue;
      else if (!allowed.includes(name))
        found.push({ name, path: own, field: fieldOf(own), message: messageOf(name, at) });
    }
  };
  visit(document, shape, []);
  return found;
}

function messageOf(name: string, { name: what, members }: Declaration): string {
  const [close] = similar(name, Object.keys(members), { related: true });
  return `is not a member of ${what}${close === undefined ? '' : `; did you mean "${close}"?`}`;
}

function fieldOf(path: readonly (string | number)[]): string {
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1);
}
