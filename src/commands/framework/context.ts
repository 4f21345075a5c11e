import type { SettingFlags, Settings } from '../../config/resolve.ts';
import type { GatectlError } from '../../errors/index.ts';
import type { Clock } from '../../http/clock.ts';
import type { ConnectivityProbe } from '../../http/connectivity-probe.ts';
import type { PageFetcher } from '../../http/page-fetcher.ts';
import type { RawSender } from '../../http/sender.ts';
import type { Json } from '../../json/index.ts';
import type { CsvDialect, Style, View } from '../../output/view.ts';
import type { Io } from '../../terminal/io.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Prompt } from '../../terminal/prompt.ts';

/** The global options as the command line gave them. */
export interface Globals {
  /** Flags that override settings, and the choice of a profile. */
  readonly flags: SettingFlags & { readonly profile: string | undefined; readonly insecureHttp: boolean };
  readonly csvDialect: CsvDialect;
  readonly jq: string | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly curl: boolean;
  readonly sandbox: boolean;
  readonly noColor: boolean;
  readonly noInput: boolean;
}

/** One titled part of an answer that people read as a page. */
export interface OutputSection {
  readonly title: string;
  readonly data: Json;
  readonly view: View;
}

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/** What gatectl can tell of itself. Commands are named by their words: `['cdn', 'purge']`; none is gatectl itself. */
export interface Manual {
  /** Help of a command, or a topic. Throws UsageError for words that are neither. */
  help(words: readonly string[]): Promise<string>;
  completion(shell: Shell): Promise<string>;
  /** The command and all below it, for programs. Throws UsageError for an unknown one. */
  schema(words: readonly string[]): Promise<Json>;
}

/** What a command may use. Everything dear is made when it is first asked for. */
export interface Context {
  readonly io: Io;
  readonly globals: Globals;
  /** What the first word of a command line may be. */
  readonly commandNames: readonly string[];
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** Asks a person; undefined when there is no terminal or `--no-input` was given. */
  readonly prompt: Prompt | undefined;
  readonly manual: Manual;

  /** Every setting with its origin. Throws UsageError or FileError. */
  settings(): Promise<Settings>;
  /** From here on defaults and flags alone count, so that something can be told even where settings can't be read. */
  withoutSettings(): void;
  /** The domain in question: `given`, or the setting. Throws UsageError when neither is there, and for more than a bare domain. */
  domain(given: string | undefined): Promise<string>;
  /** The way to the gateway, or to what may be its root on the same host; with `--curl` one that prints commands instead. */
  gateway(root?: URL): Promise<RawSender>;
  /** Fetches the key as a request would, and says where it came from. Throws AuthError. */
  keyOrigin(): Promise<string>;
  /** A short keyed hash of the key, to recognise it later without storing it. Throws AuthError. */
  keyHash(salt: string): Promise<string>;
  /** The steps on the way to the gateway, one by one. */
  reach(): Promise<ConnectivityProbe>;
  /** Fetches public pages, without the key. */
  pages(): Promise<PageFetcher>;

  /** Writes the answer to stdout in the chosen format. */
  answer(data: Json, view?: View): Promise<void>;
  /** Writes rows as they come where the format allows it; a table waits for all of them. */
  answerEach(rows: AsyncIterable<Json>, view: View): Promise<void>;
  /** Writes `data`, or for people the same as titled parts. `rows` is what csv and tsv show. */
  answerParts(data: Json, parts: readonly OutputSection[], rows: Json): Promise<void>;
  /** `answerParts` for the result of a job that succeeded: with `--quiet`, nothing in place of a table. */
  jobResult(data: Json, parts: readonly OutputSection[], rows: Json): Promise<void>;
  /** Writes text that is drawn for what the output goes to. */
  draw(render: (style: Style) => string): Promise<void>;
  /** How an answer to this output looks. */
  style(): Promise<Style>;
  /** Writes text that is the answer itself, whatever the format. */
  text(text: string): Promise<void>;

  /** Writes bytes of the answer to stdout, whole lines each time; resolves when stdout took them. */
  bytes(chunk: Uint8Array): Promise<void>;

  /** A remark on stderr; `--quiet` silences it. */
  note(text: string): void;
  /** A line on stderr under a word of its own, such as `changed: …`; `--quiet` silences it. */
  remark(text: string): void;
  /** A warning on stderr, which `--quiet` does not silence. Details get a line each below it. */
  warn(text: string, details?: readonly string[]): void;
  /** Shows how far a long job is, on stderr. */
  progress(total: number | undefined, unit: string): Progress;
  /** Keeps a secret out of everything that gatectl prints. */
  keepSecret(secret: string): void;
  /** The text with every known secret replaced. */
  redact(text: string): string;
  /** What to do about an error, one sentence each. */
  hintsFor(error: GatectlError): Promise<readonly string[]>;
}
