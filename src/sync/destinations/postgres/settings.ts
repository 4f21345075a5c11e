import { userInfo } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { nearest } from '../../../errors/nearest.ts';
import { existsSync, readFileSync } from '../../../files/disk.ts';
import { isThisMachine, requireEncryption } from '../endpoint.ts';
import { passwordIn } from './password-file.ts';
import { serviceIn } from './service-file.ts';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof SSL_MODES)[number];

/** How to reach a server, and what in it. */
export interface PostgresSettings {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** The schema of the tables. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** Whether nothing may be sent unencrypted: the server is another machine, and the user did not allow it. */
  readonly requiresTls: boolean;
  /** Files in PEM format; the root may be `system`. */
  readonly sslRoot: string | undefined;
  readonly sslCertificate: string | undefined;
  readonly sslKey: string | undefined;
  readonly connectTimeoutMs: number;
  /** Options of the server for this session, such as `-c statement_timeout=1h`. */
  readonly options: string;
  /** The password, and the password file to name if there is none. Read when a server asks for it. */
  readonly password: () => { readonly password: string | undefined; readonly file: string | undefined };
}

/** The parameters of a URL, by the environment variable that libpq reads instead. */
const VARIABLES = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  dbname: 'PGDATABASE',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  options: 'PGOPTIONS',
  service: 'PGSERVICE',
} as const;
type Parameter = keyof typeof VARIABLES;
const PARAMETERS = [...Object.keys(VARIABLES), 'schema'];

const DEFAULT_SCHEMA = 'gatectl';
const DEFAULT_PORT = '5432';
const DEFAULT_TIMEOUT_S = '10';
/** The folders where servers put their sockets. */
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp'];
const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** Modes that send everything unencrypted, or do so if the server refuses TLS. */
const WEAK_MODES: readonly string[] = ['disable', 'allow', 'prefer'];

/** Whether a URL names a host, which otherwise is that of a service file or of the environment. */
export function namesHost(url: string): boolean {
  return parametersOf(url).has('host');
}

/**
 * Reads a URL as libpq does: `postgres://USER@HOST:PORT/DATABASE?schema=…`, where what is missing comes from a service file, the
 * environment (PGHOST and so on) or libpq's defaults. Unlike libpq, TLS is required for another machine, unless `allowsPlain` is set, or
 * the environment or the service file has another mode. Throws UsageError; no message contains a password.
 */
export function postgresSettings(
  url: string,
  env: NodeJS.ProcessEnv,
  { allowsPlain }: { readonly allowsPlain: boolean } = { allowsPlain: false },
): PostgresSettings {
  const given = parametersOf(url);
  const home = env.HOME ?? env.USERPROFILE ?? '';
  const service = given.get('service') ?? env.PGSERVICE;
  const ofService = service === undefined ? new Map<string, string>() : serviceIn(service, { env, home });
  const setting = (name: Parameter): string | undefined =>
    [given.get(name), ofService.get(name), env[VARIABLES[name]]].find(
      value => value !== undefined && value !== '',
    );
  const port = setting('port') ?? DEFAULT_PORT;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw invalid(`the port ${port} is not a number up to 65535`);
  const host = setting('host') ?? defaultHost(port);
  if (host.includes(',')) throw invalid(`gatectl connects to one server, not to ${host}`);
  const user = setting('user') ?? systemUser();
  const database = setting('dbname') ?? user;
  const sslMode = sslModeOf(setting('sslmode'));
  const modeOfUser = ofService.get('sslmode') ?? env.PGSSLMODE;
  const isPlainAllowed = allowsPlain || (modeOfUser !== undefined && WEAK_MODES.includes(modeOfUser));
  if (sslMode === 'disable' || sslMode === 'allow')
    requireEncryption(host, `${host}:${port}`, isPlainAllowed, 'postgres');
  const schema = given.get('schema') ?? DEFAULT_SCHEMA;
  if (schema === '' || Buffer.byteLength(schema) > 63 || /^pg_|^information_schema$/i.test(schema))
    throw invalid(`${JSON.stringify(schema)} cannot be the schema of the tables`);
  const seconds = setting('connect_timeout') ?? DEFAULT_TIMEOUT_S;
  if (!/^\d{1,6}$/.test(seconds)) throw invalid(`connect_timeout=${seconds} is not a number of seconds`);
  const inHome = (name: string) => {
    const path = join(home, '.postgresql', name);
    return home !== '' && existsSync(path) ? path : undefined;
  };
  return {
    host,
    port: Number(port),
    user,
    database,
    schema,
    sslMode,
    requiresTls: !isPlainAllowed && !isThisMachine(host),
    sslRoot: setting('sslrootcert') ?? inHome('root.crt'),
    sslCertificate: setting('sslcert') ?? inHome('postgresql.crt'),
    sslKey: setting('sslkey') ?? inHome('postgresql.key'),
    connectTimeoutMs: Number(seconds) * 1000,
    options: setting('options') ?? '',
    password: () => {
      const direct = ofService.get('password') ?? env.PGPASSWORD;
      if (direct !== undefined && direct !== '') return { password: direct, file: undefined };
      const file = setting('passfile') ?? defaultPasswordFile(env, home);
      return { password: passwordIn(file, { host, port, database, user }), file };
    },
  };
}

/** What a URL sets. A password in it was rejected before, but not everywhere. */
function parametersOf(url: string): ReadonlyMap<string, string> {
  const [, userinfo, authority = '', path = '', query = ''] = URL_FORM.exec(url) ?? [];
  if (URL_FORM.exec(url) === null || path.includes('/'))
    throw invalid('it is not a URL such as postgres://USER@HOST/DATABASE');
  if (userinfo?.includes(':') || path.includes('@')) throw containsPassword();
  const found = new Map<string, string>();
  const set = (name: string, text: string | undefined) => {
    if (text === undefined || text === '') return;
    const value = decoded(text);
    if (/\p{Cc}/u.test(value)) throw invalid('it contains a control character');
    found.set(name, value);
  };
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? [];
  set('user', userinfo);
  set('host', host?.replace(/^\[(.*)\]$/, '$1'));
  set('port', port);
  set('dbname', path);
  for (const pair of query.split('&').filter(text => text !== '')) {
    const [name = '', ...rest] = pair.split('=');
    if (/password|sslpassword/i.test(name)) throw containsPassword();
    if (!PARAMETERS.includes(name)) {
      const near = nearest(name, PARAMETERS);
      throw invalid(`it has an unknown parameter ${JSON.stringify(name)}`, [
        near === undefined ? `parameters: ${PARAMETERS.join(', ')}` : `did you mean ${near}?`,
      ]);
    }
    set(name, rest.join('='));
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a % in it does not start an escape; write %25 for a percent sign');
  }
}

function sslModeOf(text = 'prefer'): SslMode {
  const mode = SSL_MODES.find(known => known === text);
  if (mode !== undefined) return mode;
  throw invalid(`there is no sslmode ${JSON.stringify(text)}`, [`one of: ${SSL_MODES.join(', ')}`]);
}

function defaultHost(port: string): string {
  return SOCKET_FOLDERS.find(folder => existsSync(join(folder, `.s.PGSQL.${port}`))) ?? 'localhost';
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw invalid('it names no user, and this one has no name', ['set PGUSER']);
  }
}

function defaultPasswordFile(env: NodeJS.ProcessEnv, home: string): string {
  return env.APPDATA === undefined || env.HOME !== undefined
    ? join(home, '.pgpass')
    : join(env.APPDATA, 'postgresql', 'pgpass.conf');
}

function containsPassword(): UsageError {
  return invalid('it contains a password', [
    'set PGPASSWORD, or use ~/.pgpass: a sync file contains no secrets',
  ]);
}

function invalid(problem: string, hints: readonly string[] = []): UsageError {
  return new UsageError(`invalid destination: ${problem}`, { code: 'invalid_input', hints });
}

/** The certificates and the key of a connection. Throws UsageError for a file that cannot be read. */
export function sslFiles({ sslRoot, sslCertificate, sslKey }: PostgresSettings): {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
} {
  const read = (name: string, path: string | undefined) => {
    if (path === undefined || path === 'system') return {};
    try {
      return { [name]: readFileSync(path, 'utf8') };
    } catch (error) {
      throw invalid(
        `${path} cannot be read: ${(error as Error & { code?: string }).code ?? 'an unknown error'}`,
      );
    }
  };
  return { ...read('ca', sslRoot), ...read('cert', sslCertificate), ...read('key', sslKey) };
}
