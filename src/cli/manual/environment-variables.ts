import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import { SANDBOX_START } from '../../wire/sandbox-start.ts';
import { type Term, termsIn } from './topic.ts';

const OF_SETTINGS: readonly Term[] = SETTING_KEYS.flatMap(key => {
  const { environment, name, description, choices }: Setting<unknown> = SETTINGS[key];
  const words = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return environment === undefined
    ? []
    : [{ term: environment, means: `${description}${words}; the setting ${name}` }];
});

/** The variables of gatectl. Except for GATECTL_PAGER, an empty one counts as not set. */
export const OWN_VARIABLES: readonly Term[] = [
  ...termsIn({
    GATECTL_PROFILE: 'profile to use; the same as --profile',
    GATECTL_API_KEY: 'API key; overrides that of the profile',
  }),
  ...OF_SETTINGS,
  ...termsIn({
    GATECTL_PAGER: 'pager for output that exceeds the screen; cat, or an empty value, disables it',
    GATECTL_CONFIG_DIR: 'folder for the profiles file, caches and interrupted purges',
    GATECTL_TRUST:
      'servers, buckets, folders and profiles that any file may name, comma-separated, such as db.example.com,s3://bucket,/srv/lake; for machines where nobody runs gatectl trust',
    GATECTL_ENGINE:
      'URL of the queue of bda sync submit and worker; unlike --engine, it may contain a password',
    GATECTL_SANDBOX_CLOCK: `when the clock of the embedded gateway starts (RFC 3339; default ${SANDBOX_START}), or now; also for GATECTL_BASE_URL on this machine, as sandbox serve prints it`,
    GATECTL_SANDBOX_RESTATE: 'with --sandbox, 1 changes the figures of past days as the clock advances',
  }),
];

/** Variables of the system that gatectl uses. */
export const COMMON_VARIABLES: readonly Term[] = termsIn({
  'HTTPS_PROXY, HTTP_PROXY': 'proxy for https and http URLs; lower-case names take precedence',
  NO_PROXY: 'hosts to reach without the proxy',
  NODE_EXTRA_CA_CERTS: 'PEM file of additional certificate authorities to trust',
  NODE_DISABLE_COMPILE_CACHE: 'if set, compiled code is not cached',
  NODE_TLS_REJECT_UNAUTHORIZED:
    '0 disables certificate verification, so that anyone can impersonate the gateway; gatectl doctor warns about it',
  NO_COLOR: 'if not empty, disables colors',
  FORCE_COLOR: 'uses colors without a terminal too, unless it is 0 or false',
  'REDISCLI_AUTH, REDIS_URL':
    'password of a Redis queue: the first, or that of the second if it names the same server',
  TERM: 'dumb disables colors, the pager and the progress bar',
  PAGER: 'pager if GATECTL_PAGER is not set (default less)',
  LESS: 'options of less (default FRX)',
  'DISPLAY, WAYLAND_DISPLAY': 'the display for --open on Linux; without one, nothing is opened',
  'VISUAL, EDITOR': 'editor of gatectl reply edit, the first one that is set',
  'LC_ALL, LC_CTYPE, LANG': 'the first one that is set determines whether to print non-ASCII characters',
  'XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME':
    'parent folders for profiles, caches and interrupted purges (~/.config, ~/.cache, ~/.local/state)',
  MSYSTEM: 'set by Git Bash on Windows: commands to paste are quoted for it',
  'GITHUB_RUN_ID, CI_JOB_ID, BUILD_ID': 'the job of a CI system, for gatectl log',
  GITHUB_ACTIONS: 'true adds an annotation to cdn purge --summary',
  SHELL: 'shell that gatectl completion install configures',
  'XDG_DATA_HOME, ZDOTDIR':
    'folders in which gatectl completion install writes scripts (~/.local/share) and the start-up file of zsh (~)',
  'PGHOST, PGPORT, PGUSER, PGDATABASE, PGOPTIONS':
    'server, account and database of a postgres:// URL, as psql reads them',
  'PGPASSWORD, PGPASSFILE': 'password for PostgreSQL, and the file of passwords (~/.pgpass)',
  'PGSERVICE, PGSERVICEFILE, PGSYSCONFDIR':
    'connection service of PostgreSQL, and where it is looked up (~/.pg_service.conf)',
  'PGSSLMODE, PGSSLROOTCERT, PGSSLCERT, PGSSLKEY': 'TLS of connections to PostgreSQL',
  PGCONNECT_TIMEOUT: 'seconds until a connection to PostgreSQL fails',
  'CLICKHOUSE_HOST, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD':
    'server that a clickhouse:// URL may name without being trusted, and its account',
  'AWS_PROFILE, AWS_REGION, AWS_DEFAULT_REGION': 'profile and region of s3:// URLs',
  'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY': 'credentials of s3:// URLs, if no profile is named',
  AWS_SESSION_TOKEN: 'the token of temporary credentials',
  'AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3': 'a store with the API of S3, such as MinIO',
  'AWS_CA_BUNDLE, AWS_MAX_ATTEMPTS': 'trusted authorities and attempts of s3:// URLs',
  AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required for stores that reject checksums',
  AWS_RESPONSE_CHECKSUM_VALIDATION: 'when_required for stores that send wrong checksums',
  'HOME, USERPROFILE': 'home folder, also for ~/.pgpass and ~/.aws',
  'TMPDIR, TEMP': 'folder for interrupted purges if there is no home folder',
  'APPDATA, LOCALAPPDATA': 'on Windows, parent folders for profiles and for everything else',
});
