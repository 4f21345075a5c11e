import { describeKeySource, keySourceFromJson } from '../../config/key-source.ts';
import { environmentVariable } from '../../config/platform.ts';
import { SETTING_NAMES } from '../../config/settings.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { Io } from '../../terminal/io.ts';

const REMOVED = '(removed)';
/** Variables without secrets; any other GATECTL_ variable may be a mistyped key. */
const HARMLESS =
  /^GATECTL_(PROFILE|BASE_URL|DOMAIN|BRAND|OUTPUT|CONFIG_DIR|SANDBOX_CLOCK)$|^(?!GATECTL_|.*_PROXY$|NODE_OPTIONS$)/i;

/** Removes secrets from a support bundle and records what it removed. */
export class Removal {
  readonly removed = new Set<string>();
  readonly #home: string | undefined;
  readonly #secrets = new Set<string>();
  readonly #redact: (text: string) => string;

  /** `redact` removes the secrets that this invocation has used. */
  constructor({ env, homedir }: Pick<Io, 'env' | 'homedir'>, redact: (text: string) => string) {
    this.#home = homedir;
    this.#redact = redact;
    const key = environmentVariable(env, 'GATECTL_API_KEY');
    if (key !== undefined) this.#secrets.add(key);
  }

  /** Records something that was omitted entirely. */
  note(what: string): void {
    this.removed.add(what);
  }

  /** A text without known secrets, e-mail addresses, credentials in URLs and the path of the home folder. */
  text(text: string, where: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, REMOVED);
    shown = this.#redact(shown)
      .replace(/(?<=:\/\/)[^\s/@]+(?=@)/g, REMOVED)
      .replace(/[\w.!#$%&'*+/=?^`{|}~-]+@(?!example\.)[\w-]+(\.[\w-]+)+/g, REMOVED);
    if (shown !== text) this.removed.add(`parts of ${where}`);
    return this.#home === undefined || this.#home.length < 2 ? shown : shown.replaceAll(this.#home, '~');
  }

  variable(name: string, value: string): string {
    if (/_PROXY$/i.test(name) && !/^no_/i.test(name)) return this.#proxy(name, value);
    if (HARMLESS.test(name) || /^no_proxy$/i.test(name)) return this.text(value, `environment ${name}`);
    this.removed.add(`environment ${name}`);
    return REMOVED;
  }

  /** The profiles file with its settings, without keys, key commands and unknown members. */
  config(json: Readonly<Record<string, unknown>>): Json {
    const profiles = json.profiles;
    const shown: Record<string, Json> = {};
    for (const [name, value] of Object.entries(json)) {
      if (name === 'version' && typeof value === 'number') shown[name] = value;
      else if (name === 'current' && typeof value === 'string')
        shown[name] = this.text(value, 'config current');
      else if (name !== 'profiles') shown[name] = this.#without(`config ${name}`);
    }
    if (isRecord(profiles)) {
      shown.profiles = Object.fromEntries(
        Object.entries(profiles).map(([name, entry]) => [name, this.#profile(name, entry)]),
      );
    }
    return shown;
  }

  #profile(name: string, entry: Json | undefined): Json {
    if (!isRecord(entry)) return this.#without(`profile ${name}`);
    const shown: Record<string, Json> = {};
    for (const [member, value] of Object.entries(entry)) {
      const where = `profile ${name}: ${member}`;
      if (member === 'key' && isRecord(value)) shown[member] = this.#keySource(value, where);
      else if (!SETTING_NAMES.includes(member)) shown[member] = this.#without(where);
      else shown[member] = typeof value === 'string' ? this.text(value, where) : (value ?? null);
    }
    return shown;
  }

  #keySource(source: Readonly<Record<string, Json | undefined>>, where: string): Json {
    const known = keySourceFromJson(source);
    // The findings contain the key command as one text.
    if (typeof known !== 'string' && known.kind === 'command') this.#secrets.add(describeKeySource(known));
    if (typeof known !== 'string' && known.kind === 'config') this.#secrets.add(known.apiKey);
    const shown: Record<string, Json> = {};
    for (const [member, value] of Object.entries(source)) {
      if (member === 'kind' || member === 'path' || member === 'account')
        shown[member] = typeof value === 'string' ? this.text(value, where) : null;
      else shown[member] = this.#without(`${where} ${member}`);
    }
    return shown;
  }

  #proxy(name: string, value: string): string {
    if (!URL.canParse(value)) return this.#without(`environment ${name}`);
    const { protocol, host, username, password } = new URL(value);
    if (username === '' && password === '') return this.text(value, `environment ${name}`);
    this.removed.add(`environment ${name}: user name and password`);
    return `${protocol}//${REMOVED}@${host}`;
  }

  #without(where: string): string {
    this.removed.add(where);
    return REMOVED;
  }
}
