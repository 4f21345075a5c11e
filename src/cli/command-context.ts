import type { CommandLineChange, Context, Globals, Log, Manual } from '../commands/framework/context.ts';
import { profileSetCommand } from '../commands/framework/profile-set-command.ts';
import { requireValid, type Settings } from '../config/resolve.ts';
import { domainOf } from '../config/values.ts';
import type { GatectlError, UsageError } from '../errors/index.ts';
import { missingSetting } from '../errors/usage.ts';
import type { Clock } from '../http/clock.ts';
import type { ConnectivityProbe } from '../http/connectivity-probe.ts';
import type { Gateway } from '../http/gateway.ts';
import type { PageFetcher } from '../http/page-fetcher.ts';
import type { RawSender } from '../http/sender.ts';
import type { WriteGovernor } from '../operations/writes/write-governor.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { type Input, type Io, isInteractive } from '../terminal/io.ts';
import { type Prompt, terminalPrompt } from '../terminal/prompt.ts';
import type { DataWriter } from '../terminal/writer.ts';
import type { Redactor } from '../text/redactor.ts';
import { quoterFor } from '../text/shell-words.ts';
import { brandNames } from '../wire/brand.ts';
import { defaultSettings, sandboxSettings, storedSettings } from './active-settings.ts';
import { CommandOutput } from './command-output.ts';
import { CurlPrinter } from './curl-printer.ts';
import type { ErrorContext } from './hints.ts';
import { Logger } from './logger.ts';
import { type FoundKey, findKey, openConnectivityProbe, openGateway, openPages } from './open-gateway.ts';
import type { SignalControl } from './signals.ts';

/** What a context is made of. */
export interface ContextParts {
  readonly io: Io;
  readonly globals: Globals;
  readonly commandLine: (change: CommandLineChange, quote: (word: string) => string) => string;
  readonly connectionWords: Context['connectionWords'];
  readonly inner: Context['inner'];
  readonly denialsOf: Context['denialsOf'];
  readonly commandNames: readonly string[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly out: DataWriter;
  readonly manual: Manual;
  readonly redactor: Redactor;
  readonly signals: SignalControl;
  readonly hasPageSize: boolean;
  /** Shows the progress of long jobs, in place of a line on stderr. */
  readonly progress?: Log['progress'] | undefined;
}

/** The services of a command, each created on first use and ended by `close`. */
export class CommandContext implements Context {
  readonly io: Io;
  readonly globals: Globals;
  readonly commandLine: Context['commandLine'];
  readonly connectionWords: Context['connectionWords'];
  readonly inner: Context['inner'];
  readonly denialsOf: Context['denialsOf'];
  readonly commandNames: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly manual: Manual;
  readonly redactor: Redactor;
  readonly out: CommandOutput;
  readonly log: Logger;
  readonly #signals: SignalControl;
  readonly #hasPageSize: boolean;
  #settings: Promise<Settings> | undefined;
  #sandbox: Promise<Sandbox> | undefined;
  readonly #gateways = new Map<string, Gateway>();
  #pages: PageFetcher | undefined;
  #key: Promise<FoundKey> | undefined;
  #keyOrigin: string | undefined;
  readonly #rateLimitListeners = new Set<(pauseMs: number) => void>();
  #writes: Promise<WriteGovernor> | undefined;
  #hasChanged = false;

  constructor(parts: ContextParts) {
    this.io = interruptible(parts.io, parts.signal);
    this.globals = parts.globals;
    this.commandLine = change => parts.commandLine(change, quoterFor(parts.io));
    this.connectionWords = parts.connectionWords;
    this.inner = parts.inner;
    this.denialsOf = parts.denialsOf;
    this.commandNames = parts.commandNames;
    this.signal = parts.signal;
    this.clock = parts.clock;
    this.manual = parts.manual;
    this.redactor = parts.redactor;
    this.out = new CommandOutput({
      ...parts,
      io: this.io,
      settings: () => this.settings(),
      holdLog: () => this.log.hold(),
      endProgress: () => this.log.endProgress(),
      warn: text => this.log.warn(text),
      hasChanged: () => this.#hasChanged,
    });
    this.log = new Logger(parts, text => this.redactor.redact(text));
    this.#signals = parts.signals;
    this.#hasPageSize = parts.hasPageSize;
  }

  get prompt(): Prompt | undefined {
    const { io, globals, signal } = this;
    return isInteractive(io) && !globals.noInput ? terminalPrompt(io, signal) : undefined;
  }

  settings(): Promise<Settings> {
    this.#settings ??= this.globals.sandbox ? this.#sandboxSettings() : this.#ownSettings();
    return this.#settings;
  }

  async domain(flag: string | undefined): Promise<string> {
    const settings = await this.settings();
    if (flag !== undefined) {
      const checked = domainOf(flag);
      if ('note' in checked && checked.note !== undefined) this.log.note(checked.note);
      return requireValid(checked, `the domain ${flag}`);
    }
    const domain = settings.domain.value;
    if (domain !== undefined) return domain;
    if (settings.baseUrl.value === undefined) throw missingGateway(settings);
    throw missingSetting(
      'the domain is missing',
      `type --domain DOMAIN, set GATECTL_DOMAIN, or store it: ${profileSetCommand(settings.profile, 'domain DOMAIN')}`,
    );
  }

  withoutSettings(): void {
    this.#settings = Promise.resolve(defaultSettings(this.globals));
  }

  async gateway(other?: URL): Promise<RawSender> {
    const settings = await this.settings();
    const root = other?.href ?? settings.baseUrl.value;
    if (root === undefined) throw missingGateway(settings);
    return this.#open(root, settings, async () => (await this.#foundKey()).key, root);
  }

  async gatewayFor(settings: Settings, key: string): Promise<RawSender> {
    const root = settings.baseUrl.value;
    if (root === undefined) throw missingGateway(settings);
    this.redactor.add(key);
    return this.#open(root, settings, async () => key, `${root} with another key`);
  }

  async #open(
    root: string,
    settings: Settings,
    key: () => Promise<string>,
    name: string,
  ): Promise<RawSender> {
    const baseUrl = new URL(root);
    if (this.globals.curl)
      return new CurlPrinter(baseUrl, brandNames(settings.brand.value), settings.compression.value, text =>
        this.out.printText(text),
      );
    const open = this.#gateways.get(name);
    if (open !== undefined) return open;
    const gateway = await openGateway(this, baseUrl, settings, {
      key,
      direct: this.#sandbox !== undefined,
      trace: this.globals.verbose ? exchange => this.log.trace(exchange) : undefined,
      onRateLimited: pauseMs => {
        for (const listener of this.#rateLimitListeners) listener(pauseMs);
      },
      onWrite: async write => {
        const end = await (await this.writes()).onWrite(write);
        this.#hasChanged = true;
        return end;
      },
    });
    this.#gateways.set(name, gateway);
    return gateway;
  }

  writes(): Promise<WriteGovernor> {
    this.#writes ??= import('./govern-writes.ts').then(({ governorOf }) => governorOf(this));
    return this.#writes;
  }

  onRateLimited(listener: (pauseMs: number) => void): void {
    this.#rateLimitListeners.add(listener);
  }

  withGrace(ms: number): AbortSignal {
    return this.#signals.withGrace(ms);
  }

  async keyOrigin(): Promise<string> {
    return (await this.#foundKey()).origin;
  }

  async keyHash(salt: string): Promise<string> {
    const { createHmac } = await import('node:crypto');
    const { key } = await this.#foundKey();
    return createHmac('sha256', salt).update(key).digest('hex').slice(0, 16);
  }

  async connectivityProbe(): Promise<ConnectivityProbe> {
    return await openConnectivityProbe(this, await this.settings(), this.#sandbox !== undefined);
  }

  async pages(): Promise<PageFetcher> {
    const settings = await this.settings();
    this.#pages ??= await openPages(this, settings, (await this.#sandbox)?.baseUrl);
    return this.#pages;
  }

  async hintsFor(error: GatectlError): Promise<readonly string[]> {
    const { hintsFor } = await import('./hints.ts');
    return hintsFor(error, await this.errorContext());
  }

  /** What hints may refer to, as far as it was already read. */
  async errorContext(): Promise<ErrorContext> {
    const { NO_CONTEXT } = await import('./hints.ts');
    const settings = await this.#settings?.catch(() => undefined);
    return {
      profile: settings?.profile ?? NO_CONTEXT.profile,
      keyOrigin: this.#keyOrigin,
      baseUrl: settings?.baseUrl.value,
      compression: settings?.compression.value ?? NO_CONTEXT.compression,
      hasPageSize: this.#hasPageSize,
    };
  }

  /** Ends connections and the embedded gateway. Safe to call at any time. */
  async close(): Promise<void> {
    this.#signals.end();
    this.log.endProgress();
    for (const gateway of this.#gateways.values()) await gateway.close();
    await this.#writes?.then(
      writes => writes.close(),
      () => {},
    );
    await this.#pages?.close();
    await this.#sandbox?.then(
      sandbox => sandbox.close(),
      () => {},
    );
  }

  #foundKey(): Promise<FoundKey> {
    this.#key ??= (async () => {
      const found = await findKey(this, await this.settings(), (await this.#sandbox)?.apiKey);
      this.redactor.add(found.key);
      this.#keyOrigin = found.origin;
      return found;
    })();
    return this.#key;
  }

  async #ownSettings(): Promise<Settings> {
    const { settings, projectPath, reach, warnings, notes } = await storedSettings(this.io, this.globals);
    if (this.globals.verbose && projectPath !== undefined) this.log.info(`project file: ${projectPath}`);
    for (const warning of warnings) this.log.warn(warning);
    for (const note of notes) this.log.note(note);
    if (reach !== undefined) {
      const { requireTrust } = await import('../commands/framework/trust.ts');
      await requireTrust(reach, this);
    }
    return settings;
  }

  async #sandboxSettings(): Promise<Settings> {
    this.#sandbox ??= import('./start-embedded.ts').then(({ startEmbedded }) =>
      startEmbedded(this.io, this.clock.now),
    );
    return sandboxSettings(await this.#sandbox, this.io, this.globals);
  }
}

/** The first error that a new user sees: it names the command that sets everything up. */
function missingGateway({ profile }: Settings): UsageError {
  if (profile.value === undefined)
    return missingSetting('no gateway configured: run gatectl login, or add --sandbox to try it');
  return missingSetting(
    `profile ${profile.value} has no base URL`,
    `set it: ${profileSetCommand(profile, 'base-url URL')}, or run gatectl login`,
  );
}

/** An `Io` whose stdin fails with the signal's reason when it aborts, instead of waiting for more input. */
function interruptible(io: Io, signal: AbortSignal): Io {
  let watched: Input | undefined;
  return Object.create(io, {
    stdin: {
      get() {
        watched ??= endedBy(signal, io.stdin);
        return watched;
      },
    },
  });
}

function endedBy(signal: AbortSignal, stdin: Input): Input {
  const end = () => {
    // Without a reader, the error would be uncaught.
    stdin.on('error', () => {});
    stdin.destroy(signal.reason);
  };
  // Delayed, because a prompt handles the signal too and restores the terminal first.
  signal.addEventListener('abort', () => setImmediate(end), { once: true });
  return stdin;
}
