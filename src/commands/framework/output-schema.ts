/** One field of the output: its type in TypeScript notation, and its meaning. */
type Field = readonly [type: string, means: string];

/** What a command writes as JSON, for the schema and the manual. */
export interface OutputSchema {
  /** `open`: the undocumented response of the API. `text`: plain text in any format. */
  readonly shape: 'object' | 'list' | 'strings' | 'open' | 'text' | 'nothing';
  /** Of the object, or of each object in the list. */
  readonly fields: Readonly<Record<string, Field>>;
}

/** One object. */
export function object(fields: Readonly<Record<string, Field>>): OutputSchema {
  return { shape: 'object', fields };
}

/** A list of objects. */
export function listOf(fields: Readonly<Record<string, Field>>): OutputSchema {
  return { shape: 'list', fields };
}

export const STRINGS: OutputSchema = { shape: 'strings', fields: {} };
export const OPEN: OutputSchema = { shape: 'open', fields: {} };
export const TEXT: OutputSchema = { shape: 'text', fields: {} };
export const NOTHING: OutputSchema = { shape: 'nothing', fields: {} };
