import type { Context, Globals, Manual, Part } from '../commands/context.ts';
import { setCommand } from '../commands/set-command.ts';
import { brandNames } from '../contract/brand.ts';
import { type GatectlError, UsageError } from '../errors/index.ts';
import type { Clock } from '../gateway/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { PageFetcher } from '../gateway/page.ts';
import type { Reach } from '../gateway/reach.ts';
import type { Redactor } from '../gateway/redactor.ts';
import type { PlainSender } from '../gateway/sender.ts';
import { type Json, stringifyJson } from '../json/index.ts';
import { type Format, isForReading, type Style, type View } from '../output/view.ts';
import { accepted, existingTimeZone, type Settings } from '../profile/resolve.ts';
import { checkDomain } from '../profile/values.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { hasColour, hasUnicode, painter } from '../terminal/colour.ts';
import { type Io, isInteractive, isOnTerminal } from '../terminal/io.ts';
import { printableBlock } from '../terminal/printable.ts';
import type { Progress } from '../terminal/progress.ts';
import { type Prompt, terminalPrompt } from '../terminal/prompt.ts';
import type { DataWriter } from '../terminal/writer.ts';
import { adviceFor, NOTHING_KNOWN, type Situation } from './advice.ts';
import { CurlPrinter } from './curl-printer.ts';
import { interruptible } from './interruptible.ts';
import { type FoundKey, findKey, openGateway, openPages, openReach } from './open-gateway.ts';
import { Remarks } from './remarks.ts';
import { defaultSettings, embeddedSettings, storedSettings } from './settings-in-use.ts';

/** The context of a real command line: each service is made when it is first asked for, and `close` ends them all. */
export class LiveContext implements Context {
  readonly io: Io;
  readonly globals: Globals;
  readonly commandNames: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly manual: Manual;
  readonly #out: DataWriter;
  readonly #remarks: Remarks;
  readonly redactor: Redactor;
  readonly #leaveSignals: () => void;
  #settings: Promise<Settings> | undefined;
  #sandbox: Promise<Sandbox> | undefined;
  readonly #gateways = new Map<string, Gateway>();
  #pages: PageFetcher | undefined;
  #key: Promise<FoundKey> | undefined;
  #keyOrigin: string | undefined;

  constructor(parts: {
    io: Io;
    globals: Globals;
    commandNames: readonly string[];
    signal: AbortSignal;
    clock: Clock;
    out: DataWriter;
    manual: Manual;
    redactor: Redactor;
    /** Leaves SIGINT and SIGTERM to the system, which ends the process on the spot. */
    leaveSignals: () => void;
  }) {
    this.io = interruptible(parts.io, parts.signal);
    this.globals = parts.globals;
    this.commandNames = parts.commandNames;
    this.signal = parts.signal;
    this.clock = parts.clock;
    this.manual = parts.manual;
    this.redactor = parts.redactor;
    this.#out = parts.out;
    this.#remarks = new Remarks(parts, text => this.redactor.redact(text));
    this.#leaveSignals = parts.leaveSignals;
  }

  get prompt(): Prompt | undefined {
    const { io, globals, signal } = this;
    return isInteractive(io) && !globals.noInput ? terminalPrompt(io, signal) : undefined;
  }

  settings(): Promise<Settings> {
    this.#settings ??= this.globals.sandbox ? this.#sandboxSettings() : this.#ownSettings();
    return this.#settings;
  }

  async domain(given: string | undefined): Promise<string> {
    const settings = await this.settings();
    if (given !== undefined) return accepted(checkDomain(given), `the domain ${given}`);
    const domain = settings.domain.value;
    if (domain !== undefined) return domain;
    throw new UsageError('the domain is missing', {
      hints: [
        `type --domain DOMAIN, set GATECTL_DOMAIN, or store it: ${setCommand(settings.profile, 'domain DOMAIN')}`,
      ],
    });
  }

  withoutSettings(): void {
    this.#settings = Promise.resolve(defaultSettings(this.globals));
  }

  async gateway(other?: URL): Promise<PlainSender> {
    const settings = await this.settings();
    const root = other?.href ?? settings.baseUrl.value;
    if (root === undefined) {
      throw new UsageError('the base URL of the gateway is missing', {
        hints: [
          'type --base-url URL, set GATECTL_BASE_URL, or store it: gatectl profile add NAME --base-url URL',
          'to try gatectl without a gateway, add --sandbox',
        ],
      });
    }
    const baseUrl = new URL(root);
    if (this.globals.curl)
      return new CurlPrinter(baseUrl, brandNames(settings.brand.value), text => this.text(text));
    const open = this.#gateways.get(root);
    if (open !== undefined) return open;
    const gateway = await openGateway(this, baseUrl, settings, {
      key: async () => (await this.#foundKey()).key,
      direct: this.#sandbox !== undefined,
      trace: this.globals.verbose ? exchange => this.#remarks.trace(exchange) : undefined,
    });
    this.#gateways.set(root, gateway);
    return gateway;
  }

  async keyOrigin(): Promise<string> {
    return (await this.#foundKey()).origin;
  }

  async reach(): Promise<Reach> {
    return await openReach(this, await this.settings(), this.#sandbox !== undefined);
  }

  async pages(): Promise<PageFetcher> {
    const settings = await this.settings();
    this.#pages ??= await openPages(this, settings, (await this.#sandbox)?.baseUrl);
    return this.#pages;
  }

  async answer(data: Json, view: View = {}): Promise<void> {
    if (this.globals.jq !== undefined) return await this.#filtered(data, this.globals.jq);
    const [{ render }, format, style] = await Promise.all([
      import('../output/render.ts'),
      this.#format(),
      this.style(),
    ]);
    await this.#out.write(render(data, view, format, style));
  }

  async answerEach(rows: AsyncIterable<Json>, view: View): Promise<void> {
    const format = await this.#format();
    if (this.globals.jq !== undefined || isForReading(format)) {
      const all: Json[] = [];
      for await (const row of rows) all.push(row);
      return await this.answer(all, view);
    }
    const { rowEncoder } = await import('../output/render.ts');
    const encoder = rowEncoder(format, view.columns ?? [], await this.style());
    await this.#out.write(encoder.header());
    for await (const row of rows) await this.#out.write(encoder.row(row));
    await this.#out.write(encoder.footer());
  }

  async answerParts(data: Json, parts: readonly Part[], rows: Json): Promise<void> {
    const format = await this.#format();
    if (this.globals.jq !== undefined || format === 'json' || format === 'ndjson')
      return await this.answer(data);
    if (format === 'csv' || format === 'tsv') return await this.answer(rows);
    const { renderSections } = await import('../output/render.ts');
    await this.#out.write(renderSections(parts, format, await this.style()));
  }

  async draw(render: (style: Style) => string): Promise<void> {
    await this.#out.write(render(await this.style()));
  }

  async text(text: string): Promise<void> {
    const block = isOnTerminal(this.io) ? printableBlock(text) : text;
    await this.#out.write(block === '' || block.endsWith('\n') ? block : `${block}\n`);
  }

  async bytes(chunk: Uint8Array): Promise<void> {
    await this.#out.write(isOnTerminal(this.io) ? printableBlock(new TextDecoder().decode(chunk)) : chunk);
  }

  note(text: string): void {
    this.#remarks.note(text);
  }

  remark(text: string): void {
    this.#remarks.remark(text);
  }

  warn(text: string, details?: readonly string[]): void {
    this.#remarks.warn(text, details);
  }

  progress(total: number | undefined, unit: string): Progress {
    return this.#remarks.progress(total, unit);
  }

  keepSecret(secret: string): void {
    this.redactor.add(secret);
  }

  redact(text: string): string {
    return this.redactor.redact(text);
  }

  async adviceFor(error: GatectlError): Promise<readonly string[]> {
    return adviceFor(error, await this.situation());
  }

  /** What advice may refer to; asks for nothing that was not known before. */
  async situation(): Promise<Situation> {
    const settings = await this.#settings?.catch(() => undefined);
    return {
      profile: settings?.profile ?? NOTHING_KNOWN.profile,
      keyOrigin: this.#keyOrigin,
      baseUrl: settings?.baseUrl.value,
    };
  }

  endProgress(): void {
    this.#remarks.endProgress();
  }

  /** Ends connections and the embedded gateway. Safe to call at any time. */
  async close(): Promise<void> {
    this.#leaveSignals();
    this.endProgress();
    for (const gateway of this.#gateways.values()) await gateway.close();
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

  /** Throws UsageError for a `--jq` that does not compile: that is better known before anything is sent. */
  async checkFilter(): Promise<void> {
    const { jq } = this.globals;
    if (jq === undefined) return;
    const { checkJq, JqError } = await import('../output/jq.ts');
    try {
      await checkJq(jq);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new UsageError(`--jq '${jq}' can't be read: ${error.message}`, { cause: error });
    }
  }

  async #filtered(data: Json, expression: string): Promise<void> {
    const { runJq, JqError } = await import('../output/jq.ts');
    // A filter without end lets no signal be heard: the system has to do it.
    this.#leaveSignals();
    try {
      await this.text(await runJq(stringifyJson(data), expression));
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new UsageError(`--jq failed on the answer: ${error.message}`, {
        hints: ['the answer came whole; see it without --jq'],
        cause: error,
      });
    }
  }

  async #format(): Promise<Format> {
    const settings = await this.settings();
    return settings.output.value;
  }

  async style(): Promise<Style> {
    const { io, globals } = this;
    const isTTY = isOnTerminal(io);
    const settings = await this.settings();
    return {
      width: isTTY ? (io.stdout.columns ?? 80) : undefined,
      paint: await painter(hasColour({ isTTY }, globals.noColor, io.env)),
      get timeZone() {
        return existingTimeZone(settings) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
      },
      unicode: hasUnicode(io.env, io.platform) || !isTTY,
      csvDialect: globals.csvDialect,
    };
  }

  async #ownSettings(): Promise<Settings> {
    const { settings, warnings } = await storedSettings(this.io, this.globals);
    for (const warning of warnings) this.warn(warning);
    return settings;
  }

  async #sandboxSettings(): Promise<Settings> {
    this.#sandbox ??= import('../sandbox/index.ts').then(({ startSandbox }) =>
      startSandbox({ now: this.clock.now }),
    );
    return embeddedSettings(await this.#sandbox, this.io, this.globals);
  }
}
