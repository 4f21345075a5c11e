import type { GatectlError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import type { Options, ValuesOf } from '../framework/define-command.ts';
import type { Allowed } from './allow-flag.ts';
import type { Plans } from './plans.ts';
import {
  type Arguments,
  type ResultMembers,
  type ResultSchema,
  resultSchema,
  schemaOf,
  type ToolSchema,
  valuesOf,
} from './tool-schema.ts';

/** What a tool changes: nothing, new files only, or what visitors of a site get. */
type Changes = 'nothing' | 'adds files' | 'purges';

/** What a tool may use. */
export interface ToolContext {
  /** That of this call. */
  readonly context: Context;
  /** The folder for rows, which exists. */
  readonly rowsFolder: () => Promise<string>;
}

/** What the calls of all connections share. */
interface SharedPlans {
  readonly plans: Plans;
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
  /** By default nothing. */
  readonly changes?: Changes;
  /** Whether it needs nothing but this machine. */
  readonly isLocal?: boolean;
  /** For a write: the word after `--allow` that offers it. */
  readonly allowedBy?: Allowed;
  /** For a write: the question for the user, where the client can ask one. Throws UsageError. */
  readonly question?: (given: ValuesOf<O>, shared: SharedPlans) => string;
  /** Throws GatectlError. */
  readonly call: (given: ValuesOf<O>, context: ToolContext & SharedPlans) => Promise<ToolResult>;
}

/** A tool of the server. Its functions throw UsageError for invalid arguments. */
export interface Tool extends Pick<Declaration<Options>, 'name' | 'title' | 'description' | 'allowedBy'> {
  readonly schema: ToolSchema;
  readonly resultSchema: ResultSchema;
  readonly annotations: Annotations;
  /** Checks the arguments. Returns the question for the user, if there is one, and the call. */
  readonly prepare: (
    given: Arguments,
    shared: SharedPlans,
  ) => {
    readonly question: string | undefined;
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

/** A plan is applied once, so that repeating a purge changes nothing. The protocol gives two hints a meaning for writes only. */
function annotationsOf(changes: Changes, isLocal: boolean): Annotations {
  return {
    readOnlyHint: changes === 'nothing',
    ...(changes !== 'nothing' && {
      destructiveHint: changes === 'purges',
      idempotentHint: changes === 'purges',
    }),
    openWorldHint: !isLocal,
  };
}

/** Declares a tool. */
export function defineTool<O extends Options>(declaration: Declaration<O>): Tool {
  const {
    options,
    required = [],
    result,
    changes = 'nothing',
    isLocal = false,
    question,
    call,
  } = declaration;
  const { name, title, description, allowedBy } = declaration;
  return {
    ...{ name, title, description, allowedBy },
    schema: schemaOf(options, required),
    resultSchema: resultSchema(result),
    annotations: annotationsOf(changes, isLocal),
    prepare(given, shared) {
      const values = valuesOf(options, required, given);
      return {
        question: question?.(values, shared),
        call: context => call(values, { ...context, ...shared }),
      };
    },
  };
}
