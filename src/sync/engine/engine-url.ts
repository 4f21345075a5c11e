import { UsageError } from '../../errors/index.ts';
import { endpointName } from '../destinations/endpoint.ts';
import { type PostgresSettings, postgresSettings } from '../destinations/postgres/settings.ts';

/** Where the queue is, as `--engine` or GATECTL_ENGINE names it. */
export interface Engine {
  readonly kind: 'redis' | 'postgres';
  /** For messages: without user and password. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The number of a Redis database, or the name of a PostgreSQL one. */
  readonly database: string | undefined;
  /** `require` of `rediss:`; else the `sslmode` of a PostgreSQL URL. */
  readonly tls: string | undefined;
  /** Of PostgreSQL: how its clients connect. */
  readonly settings?: PostgresSettings;
}

const KINDS: Readonly<Record<string, Engine['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'valkey:': 'redis',
  'valkeys:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};
const REDIS_PORT = 6379;
const EXAMPLES = 'redis://HOST:6379/0, rediss://… with TLS, or postgres://USER@HOST:5432/DATABASE';

/** Which variable of the environment names the engine. */
const ENGINE_VARIABLE = 'GATECTL_ENGINE';

/**
 * Reads the URL of an engine: the flag, else GATECTL_ENGINE. Other users can see a command line, so that a flag must not contain a
 * password; the variable may. Passwords are also read from REDISCLI_AUTH, from REDIS_URL where it names the same server, and from PGPASSWORD; the
 * PostgreSQL client itself reads ~/.pgpass. Throws UsageError, which never contains the password.
 */
export function readEngine(flag: string | undefined, env: Env): Engine {
  const given = flag ?? (env[ENGINE_VARIABLE] || undefined);
  if (given === undefined)
    throw new UsageError('--engine is missing', {
      code: 'missing_argument',
      reason: { name: 'no_engine', examples: EXAMPLES },
    });
  const source = flag === undefined ? ENGINE_VARIABLE : '--engine';
  const url = parseUrl(given, source);
  if (flag !== undefined && url.password !== '')
    throw new UsageError('--engine contains a password, and other users can see the command line', {
      code: 'key_on_command_line',
      reason: { name: 'engine_password', isRedis: KINDS[url.protocol] === 'redis' },
    });
  const kind = KINDS[url.protocol] as Engine['kind'];
  const part = (value: string): string | undefined => {
    try {
      return decodeURIComponent(value) || undefined;
    } catch {
      throw invalid(source, 'a % in it is not followed by two digits');
    }
  };
  if (kind === 'postgres') return postgresEngine(url, part(url.password), source, env);
  const host = part(url.hostname)?.replace(/^\[|\]$/g, '') ?? 'localhost';
  const port = Number(url.port || REDIS_PORT);
  const database = part(url.pathname.slice(1));
  if (database !== undefined && !/^\d{1,4}$/.test(database))
    throw invalid(source, `${database} is not a Redis database number`);
  const isTls = url.protocol === 'rediss:' || url.protocol === 'valkeys:';
  const login = redisLogin(host, port, env);
  return {
    kind,
    host,
    port,
    database,
    name: `${url.protocol}//${endpointName({ host, port })}${database === undefined ? '' : `/${database}`}`,
    user: part(url.username) ?? login.user,
    password: part(url.password) ?? login.password,
    tls: isTls ? 'require' : undefined,
  };
}

/** Reads the URL of a PostgreSQL engine as that of a destination. */
function postgresEngine(url: URL, password: string | undefined, source: string, env: Env): Engine {
  const isTlsChosen = url.searchParams.has('sslmode') || Boolean(env.PGSSLMODE);
  if (url.searchParams.has('schema')) throw invalid(source, 'the schema of the queue is always bullmq');
  const { protocol } = url;
  url.password = '';
  let settings: PostgresSettings;
  try {
    settings = postgresSettings(url.href, env, { allowsPlain: isTlsChosen });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw invalid(source, error.message.replace('invalid destination: ', ''), error.hints);
  }
  const { host, port, database, user, sslMode } = settings;
  const isSocket = host.startsWith('/');
  return {
    kind: 'postgres',
    ...{ host, port, database, user, settings },
    name: isSocket
      ? `${protocol}///${database}?host=${host}&port=${port}`
      : `${protocol}//${endpointName({ host, port })}/${database}`,
    password: password ?? settings.password().password,
    tls: isSocket || !(isTlsChosen || settings.requiresTls) ? undefined : sslMode,
  };
}

function parseUrl(text: string, source: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalid(source, 'it is not a URL');
  }
  if (url.protocol in KINDS) return url;
  throw invalid(source, `${url.protocol.slice(0, -1)} is not supported`);
}

function invalid(source: string, problem: string, hints: readonly string[] = []): UsageError {
  return new UsageError(`invalid ${source}: ${problem}`, {
    code: 'invalid_value',
    hints: hints.length > 0 ? hints : [`pass ${EXAMPLES}`],
  });
}

type Env = Readonly<Record<string, string | undefined>>;
type Login = Partial<Pick<Engine, 'user' | 'password'>>;

/** Of redis-cli's variable, or of REDIS_URL if it names this server. */
function redisLogin(host: string, port: number, { REDISCLI_AUTH, REDIS_URL = '' }: Env): Login {
  if (REDISCLI_AUTH) return { password: REDISCLI_AUTH };
  if (!URL.canParse(REDIS_URL)) return {};
  const url = new URL(REDIS_URL);
  if (url.hostname !== host || Number(url.port || REDIS_PORT) !== port) return {};
  return {
    ...(url.username !== '' && { user: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
  };
}
