import type { GatectlError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import type { Effect } from '../../wire/effect.ts';
import type { Context } from '../framework/context.ts';
import type { Options, ValuesOf } from '../framework/define-command.ts';
import type { Allowed } from './allow-flag.ts';
import {
  type Arguments,
  type ResultMembers,
  type ResultSchema,
  resultSchema,
  schemaOf,
  type ToolSchema,
  valuesOf,
} from './tool-schema.ts';

/** What a tool may use. */
export interface ToolContext {
  /** That of this call. */
  readonly context: Context;
  /** The folder for rows, which exists. */
  readonly rowsFolder: () => Promise<string>;
  /** Whether e-mail addresses are masked. */
  readonly isMasked: boolean;
}

/** What the calls of all connections share. */
interface Limits {
  /** URLs or keys that one plan may name. */
  readonly maxTargets: number;
}

/** What a tool returns. */
export interface ToolResult {
  readonly data: Readonly<Record<string, Json>>;
  /** Why the result is not complete. */
  readonly error?: GatectlError;
}

interface Declaration<O extends Options> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The arguments, declared like options. */
  readonly options: O;
  readonly required?: readonly string[];
  readonly result: ResultMembers;
  /** Of its requests; by default `read`. */
  readonly effect?: Effect;
  /** Whether it adds files to this machine. */
  readonly addsFiles?: boolean;
  /** Whether it needs nothing but this machine. */
  readonly isLocal?: boolean;
  /** For a write: the word after `--allow` that offers it. */
  readonly allowedBy?: Allowed;
  /** For a write: the question for the user, where the client can ask one. Throws UsageError and FileError. */
  readonly question?: (given: ValuesOf<O>, context: Context) => Promise<string>;
  /** Throws GatectlError. */
  readonly call: (given: ValuesOf<O>, context: ToolContext & Limits) => Promise<ToolResult>;
}

/** A tool of the server. Its functions throw UsageError for invalid arguments. */
export interface Tool extends Pick<Declaration<Options>, 'name' | 'title' | 'description' | 'allowedBy'> {
  readonly schema: ToolSchema;
  readonly resultSchema: ResultSchema;
  readonly annotations: Annotations;
  /** Checks the arguments. Returns the question for the user, if there is one, and the call. */
  readonly prepare: (
    given: Arguments,
    limits: Limits,
  ) => {
    readonly question: ((context: Context) => Promise<string>) | undefined;
    readonly call: (context: ToolContext) => Promise<ToolResult>;
  };
}

/** What a client may rely on when it decides whether to ask its user. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool writes may be repeated, unless it is irreversible. The protocol gives two hints a meaning for writes only. */
function annotationsOf(effect: Effect, addsFiles: boolean, isLocal: boolean): Annotations {
  const isRead = effect === 'read';
  return {
    readOnlyHint: isRead && !addsFiles,
    ...((addsFiles || !isRead) && { destructiveHint: !isRead, idempotentHint: effect === 'write' }),
    openWorldHint: !isLocal,
  };
}

/** Declares a tool. */
export function defineTool<O extends Options>(declaration: Declaration<O>): Tool {
  const {
    options,
    required = [],
    result,
    effect = 'read',
    addsFiles = false,
    isLocal = false,
    question,
    call,
  } = declaration;
  const { name, title, description, allowedBy } = declaration;
  return {
    ...{ name, title, description, allowedBy },
    schema: schemaOf(options, required),
    resultSchema: resultSchema(result),
    annotations: annotationsOf(effect, addsFiles, isLocal),
    prepare(given, limits) {
      const values = valuesOf(options, required, given);
      return {
        question: question === undefined ? undefined : context => question(values, context),
        call: context => call(values, { ...context, ...limits }),
      };
    },
  };
}
