import type { SettingFlags, Settings } from '../../config/resolve.ts';
import type { JsonSchema } from '../../documents/forms.ts';
import type { GatectlError } from '../../errors/index.ts';
import type { Clock } from '../../http/clock.ts';
import type { ConnectivityProbe } from '../../http/connectivity-probe.ts';
import type { PageFetcher } from '../../http/page-fetcher.ts';
import type { RawSender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import type { Denial } from '../../operations/writes/weighed-write.ts';
import type { WriteGovernor } from '../../operations/writes/write-governor.ts';
import type { Locale } from '../../output/presentation/index.ts';
import type { Sentence } from '../../output/sentence.ts';
import type { CsvDialect, FileOnlyFormat, Style, View } from '../../output/view.ts';
import type { Io } from '../../terminal/io.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Prompt } from '../../terminal/prompt.ts';
import type { Redactor } from '../../text/redactor.ts';

/** The global options as the command line gave them. */
export interface Globals {
  /** Flags that override settings, and the choice of a profile. */
  readonly flags: SettingFlags & { readonly profile: string | undefined; readonly insecureHttp: boolean };
  readonly csvDialect: CsvDialect;
  /** Whether the dialect was typed, which no other format has. */
  readonly requiresCsv: boolean;
  /** The format of `-o` that only a file of `--out` has. */
  readonly fileFormat: FileOnlyFormat | undefined;
  /** Decimals of numbers in table, md, html and .xlsx. */
  readonly decimals: number | 'all' | undefined;
  /** How numbers and dates are written; undefined for the locale of the machine. */
  readonly locale: Locale | undefined;
  /** The names of `--fields`. */
  readonly fields: readonly string[] | undefined;
  /** The expression of `--jq`, or one for `--fields`: the output is JSON that is complete before anything of it is printed. */
  readonly jq: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly curl: boolean;
  readonly sandbox: boolean;
  readonly noColor: boolean;
  readonly noPager: boolean;
  readonly noInput: boolean;
}

/** One titled part of a page of output. */
export interface OutputSection {
  readonly title: string;
  readonly data: Json;
  readonly view: View;
}

/** What a command prints to stdout. */
export interface Output {
  /** Prints data in the chosen format. */
  print(data: Json, view?: View): Promise<void>;
  /** Prints rows as they arrive where the format allows it; a table needs all of them first. */
  printRows(rows: AsyncIterable<Json>, view: View): Promise<void>;
  /** Prints titled sections for people, `data` as json and ndjson, `rows` as csv and tsv. */
  printSections(data: Json, sections: readonly OutputSection[], rows: Json): Promise<void>;
  /** `printSections` for the result of a job that succeeded: `--quiet` suppresses its table. */
  printResult(data: Json, sections: readonly OutputSection[], rows: Json): Promise<void>;
  /** Prints text unchanged, in any format. */
  printText(text: string): Promise<void>;
  /** Prints what `render` makes for this output's width, colours and characters. */
  draw(render: (style: Style) => string): Promise<void>;
  style(): Promise<Style>;
  /** Passes `produce` a function that writes bytes, complete lines each time, and resolves when stdout accepted them. */
  stream<T>(produce: (write: (chunk: Uint8Array) => Promise<void>) => Promise<T>): Promise<T>;
  /** Disables the pager, for a command that runs until it is stopped. */
  withoutPager(): void;
}

/** What a command prints to stderr, for people: in their locale. Secrets are replaced. */
export interface Log {
  /** A line that starts with `note:`, or another label; suppressed by `--quiet`. */
  note(text: Sentence, label?: string): void;
  /** A line without a prefix; suppressed by `--quiet`. */
  info(text: Sentence): void;
  /** A line that starts with `warning:`, or another label, with details below it; never suppressed. */
  warn(text: Sentence, details?: readonly string[], label?: string): void;
  /** Shows the progress of a long job, in place of an earlier one. */
  progress(total: number | undefined, unit: string): Progress;
}

/** The files that gatectl reads, by the flags of `gatectl schema`. */
export const DOCUMENT_KINDS = ['sync', 'report', 'map', 'watch', 'query', 'project', 'policy'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** A page of the documentation. */
export interface DocsPage {
  /** What `gatectl docs` calls it. */
  readonly page: string;
  /** Tutorials, how-to guides, reference or explanation. */
  readonly section: string;
  readonly about: string;
}

/** What a search of the documentation found. */
export interface FoundText {
  readonly title: string;
  /** The command that prints it. */
  readonly open: string;
  readonly about: string;
}

/** What people and assistants read, as it is installed with gatectl. */
export interface Documentation {
  readonly pages: () => readonly DocsPage[];
  /** The Markdown of a page, or of a section: `sync#s3`. Throws UsageError for an unknown one. */
  readonly text: (name: string) => string;
  /** Commands, help topics and sections of pages, the best match first. */
  readonly search: (words: string) => readonly FoundText[];
  /** The command and its subcommands in a few words each. Throws UsageError for an unknown one. */
  readonly compactSchema: (words: readonly string[]) => Json;
  /** The commands that do what a text describes, the best first, in the same form. */
  readonly findCommands: (text: string) => Json;
  /** What assistants read to use gatectl: the text of SKILL.md. */
  readonly skill: () => string;
}

/** gatectl's own documentation. Commands are named by their words: `['cdn', 'purge']`; none is gatectl itself. */
export interface Manual {
  /** Help of a command, or a topic. Throws UsageError for unknown words. */
  help(words: readonly string[]): Promise<string>;
  completion(shell: Shell): Promise<string>;
  /** The command and its subcommands, for programs. Throws UsageError for an unknown one. */
  schema(words: readonly string[]): Promise<Json>;
  documentation(): Promise<Documentation>;
  /** The JSON Schema of a file that gatectl reads. */
  documentSchema(kind: DocumentKind): Promise<JsonSchema>;
}

/** How a command line differs from the one that was typed. */
export interface CommandLineChange {
  /** In place of the command that was typed, one with the same options. */
  readonly command?: string;
  /** Options to omit, as declared. */
  readonly without: readonly { readonly flags: string }[];
  readonly withArguments: boolean;
  /** Words to add at the end. */
  readonly add: readonly string[];
}

/** A context inside another one, for one call of a program: nothing is printed, there is no terminal and no input. */
export interface InnerContext {
  readonly context: Context;
  /** The notes and warnings so far, a line each. */
  notes(): readonly string[];
  /** An error as `-o json` prints it; `exit` is the exit code of a command that it ends. */
  errorData(error: unknown): Promise<{ readonly exit: number; readonly error: Json }>;
  close(): Promise<void>;
}

/** What a command may use. Expensive parts are created on first use. */
export interface Context {
  readonly io: Io;
  readonly globals: Globals;
  /** What the first word of a command line may be. */
  readonly commandNames: readonly string[];
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Prompts on the terminal; undefined without one, and with `--no-input`. */
  readonly prompt: Prompt | undefined;
  readonly manual: Manual;
  /** Holds the secrets that must not appear in any output. */
  readonly redactor: Redactor;
  readonly out: Output;
  readonly log: Log;

  /** Every setting with its origin. Throws UsageError or FileError. */
  settings(): Promise<Settings>;
  /** Ignores profiles and environment from now on: only defaults and flags count. For output that must work with broken settings. */
  withoutSettings(): void;
  /**
   * The domain to use: `flag`, or the setting. The domain of a URL or of `www.` is used with a note. Throws UsageError when
   * there is none, and for an invalid domain.
   */
  domain(flag: string | undefined): Promise<string>;
  /** The gateway, at another base URL on request; with `--curl` a sender that prints commands instead. */
  gateway(root?: URL): Promise<RawSender>;
  /** The gateway of settings that are not stored yet, with this key. With `--curl`, a sender that prints commands instead. */
  gatewayFor(settings: Settings, key: string): Promise<RawSender>;
  /** What decides about the writes of the command, and logs them. */
  writes(): Promise<WriteGovernor>;
  /** Why the policies refuse a command line, given as words without `gatectl`; none where they allow it. Nothing is changed. */
  denialsOf(words: readonly string[]): Promise<readonly Denial[]>;
  /** Calls `listener` for each rate limit response, with the pause that the gateway makes, in milliseconds. */
  onRateLimited(listener: (pauseMs: number) => void): void;
  /** From now on, the first SIGINT or SIGTERM aborts the returned signal, and `signal` only `ms` later, or with the next one. */
  withGrace(ms: number): AbortSignal;
  /** Finds the key as a request would; returns its origin. Throws AuthError. */
  keyOrigin(): Promise<string>;
  /** The command line that was typed, with changes, quoted for a shell: a complete command to paste. */
  commandLine(change: CommandLineChange): string;
  /** The typed options that select the gateway and limit its requests, as words of a command line. */
  connectionWords(): readonly string[];
  /**
   * A context with the connection options of this one, and with `signal` in place of the signals of the process. `progress` shows
   * the progress of its long jobs; without it, nothing does.
   */
  inner(signal: AbortSignal, progress?: Log['progress']): Promise<InnerContext>;
  /** A short keyed hash of the key, to recognise it later without storing it. Throws AuthError. */
  keyHash(salt: string): Promise<string>;
  /** Tests the connection to the gateway step by step. */
  connectivityProbe(): Promise<ConnectivityProbe>;
  /** Fetches public pages, without the key. */
  pages(): Promise<PageFetcher>;
  /** What to do about an error, one sentence each. */
  hintsFor(error: GatectlError): Promise<readonly string[]>;
}
