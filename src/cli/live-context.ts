import type { Context, Globals, Manual, Part } from '../commands/context.ts';
import { brandNames } from '../contract/brand.ts';
import { type GatectlError, UsageError } from '../errors/index.ts';
import type { Clock } from '../gateway/clock.ts';
import type { Exchange, Gateway } from '../gateway/gateway.ts';
import type { PageFetcher } from '../gateway/page.ts';
import type { Reach } from '../gateway/reach.ts';
import { Redactor } from '../gateway/redactor.ts';
import type { PlainSender } from '../gateway/sender.ts';
import { type Json, stringifyJson } from '../json/index.ts';
import { type Format, isForReading, type Style, type View } from '../output/view.ts';
import { readProfiles } from '../profile/profiles-file.ts';
import { existingTimeZone, resolveSettings, type Settings } from '../profile/resolve.ts';
import { configPath } from '../profile/surroundings.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { hasColour, hasUnicode, painter } from '../terminal/colour.ts';
import { type Io, isInteractive } from '../terminal/io.ts';
import { printable, printableBlock } from '../terminal/printable.ts';
import { type Progress, progressOn } from '../terminal/progress.ts';
import { type Prompt, terminalPrompt } from '../terminal/prompt.ts';
import type { DataWriter } from '../terminal/writer.ts';
import { adviceFor, type Situation } from './advice.ts';
import { CurlPrinter } from './curl-printer.ts';
import { type FoundKey, findKey, openGateway, openPages, openReach } from './open-gateway.ts';

const NO_PROFILES = { path: undefined, profiles: new Map(), current: undefined, warnings: [], json: {} };

/** The context of a real command line: each service is made when it is first asked for, and `close` ends them all. */
export class LiveContext implements Context {
  readonly io: Io;
  readonly globals: Globals;
  readonly commandNames: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly manual: Manual;
  readonly #out: DataWriter;
  readonly redactor = new Redactor();
  #settings: Promise<Settings> | undefined;
  #sandbox: Promise<Sandbox> | undefined;
  #gateway: Gateway | undefined;
  #pages: PageFetcher | undefined;
  #key: Promise<FoundKey> | undefined;
  #keyOrigin: string | undefined;
  #progress: Progress | undefined;

  constructor(parts: {
    io: Io;
    globals: Globals;
    commandNames: readonly string[];
    signal: AbortSignal;
    clock: Clock;
    out: DataWriter;
    manual: Manual;
  }) {
    this.io = parts.io;
    this.globals = parts.globals;
    this.commandNames = parts.commandNames;
    this.signal = parts.signal;
    this.clock = parts.clock;
    this.manual = parts.manual;
    this.#out = parts.out;
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
    const domain = given ?? settings.domain.value;
    if (domain !== undefined) return domain;
    throw new UsageError('the domain is missing', {
      hints: ['type --domain DOMAIN, set GATECTL_DOMAIN, or store it: gatectl profile set domain DOMAIN'],
    });
  }

  withoutSettings(): void {
    const { output } = this.globals.flags;
    this.#settings = Promise.resolve(resolveSettings({ flags: { output }, env: {}, file: NO_PROFILES }));
  }

  async gateway(): Promise<PlainSender> {
    const settings = await this.settings();
    const root = settings.baseUrl.value;
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
    this.#gateway ??= await openGateway(this, baseUrl, settings, {
      key: async () => (await this.#foundKey()).key,
      direct: this.#sandbox !== undefined,
      trace: this.globals.verbose ? exchange => this.#trace(exchange) : undefined,
    });
    return this.#gateway;
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
    await this.#out.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  async bytes(chunk: Uint8Array): Promise<void> {
    await this.#out.write(this.io.stdout.isTTY ? printableBlock(new TextDecoder().decode(chunk)) : chunk);
  }

  note(text: string): void {
    if (!this.globals.quiet) this.#say(`note: ${text}`);
  }

  remark(text: string): void {
    if (!this.globals.quiet) this.#say(text);
  }

  warn(text: string): void {
    this.#say(`warning: ${text}`);
  }

  progress(total: number | undefined, unit: string): Progress {
    const { io, globals, clock } = this;
    this.#progress?.finish();
    this.#progress = progressOn(globals.quiet ? undefined : io.stderr, {
      total,
      unit,
      now: clock.now,
      unicode: hasUnicode(io.env, io.platform),
      bar: io.env.TERM !== 'dumb',
    });
    return this.#progress;
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
      profile: settings?.profile.value,
      keyOrigin: this.#keyOrigin,
      baseUrl: settings?.baseUrl.value,
    };
  }

  endProgress(): void {
    this.#progress?.finish();
  }

  /** Ends connections and the embedded gateway. Safe to call at any time. */
  async close(): Promise<void> {
    this.endProgress();
    await this.#gateway?.close();
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

  async #filtered(data: Json, expression: string): Promise<void> {
    const { runJq, JqError } = await import('../output/jq.ts');
    try {
      await this.#out.write(await runJq(stringifyJson(data), expression));
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new UsageError('the jq expression failed', { hints: error.message.split('\n'), cause: error });
    }
  }

  async #format(): Promise<Format> {
    const settings = await this.settings();
    return settings.output.value;
  }

  async style(): Promise<Style> {
    const { io, globals } = this;
    const settings = await this.settings();
    return {
      width: io.stdout.isTTY ? (io.stdout.columns ?? 80) : undefined,
      paint: await painter(hasColour(io.stdout, globals.noColor, io.env)),
      get timeZone() {
        return existingTimeZone(settings) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
      },
      unicode: hasUnicode(io.env, io.platform) || !io.stdout.isTTY,
      csvDialect: globals.csvDialect,
    };
  }

  async #ownSettings(): Promise<Settings> {
    const { io, globals } = this;
    const file = await readProfiles(configPath(io), io.platform);
    for (const warning of file.warnings) this.warn(warning);
    return resolveSettings({ flags: globals.flags, env: io.env, file });
  }

  /** The embedded gateway stands in for profile, key and base URL; flags still count. */
  async #sandboxSettings(): Promise<Settings> {
    const { io, globals } = this;
    this.#sandbox ??= import('../sandbox/index.ts').then(({ startSandbox }) =>
      startSandbox({ now: this.clock.now }),
    );
    const sandbox = await this.#sandbox;
    const flags = { ...globals.flags, baseUrl: sandbox.baseUrl, domain: sandbox.domains[0]?.domain };
    const env = { GATECTL_OUTPUT: io.env.GATECTL_OUTPUT };
    return resolveSettings({ flags, env, file: NO_PROFILES });
  }

  #trace({ request, attempt, elapsedMs, problem }: Exchange): void {
    const outcome = request.status === undefined ? `failed: ${problem}` : String(request.status);
    const again = attempt === 1 ? '' : `, attempt ${attempt}`;
    this.#say(`${request.method} ${request.origin}${request.path} -> ${outcome} (${elapsedMs} ms${again})`);
  }

  #say(text: string): void {
    this.#progress?.hide();
    this.io.stderr.write(`${printable(this.redactor.redact(text))}\n`);
  }
}
