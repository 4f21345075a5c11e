import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import { SANDBOX_START } from '../../wire/sandbox-start.ts';
import type { Term } from './topic.ts';

const OF_SETTINGS: readonly Term[] = SETTING_KEYS.flatMap(key => {
  const { environment, name, description, choices }: Setting<unknown> = SETTINGS[key];
  const words = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return environment === undefined
    ? []
    : [{ term: environment, means: `${description}${words}; the setting ${name}` }];
});

/** The variables of gatectl. Except for GATECTL_PAGER, an empty one counts as not set. */
export const OWN_VARIABLES: readonly Term[] = [
  { term: 'GATECTL_PROFILE', means: 'profile to use; the same as --profile' },
  { term: 'GATECTL_API_KEY', means: 'API key; overrides that of the profile' },
  ...OF_SETTINGS,
  {
    term: 'GATECTL_PAGER',
    means: 'pager for output that exceeds the screen; cat, or an empty value, turns it off',
  },
  {
    term: 'GATECTL_CONFIG_DIR',
    means: 'folder for the profiles file, caches and interrupted purges',
  },
  {
    term: 'GATECTL_TRUST',
    means:
      'servers, buckets, folders and profiles that any file may name, comma-separated, such as db.example.com,s3://bucket,/srv/lake; for machines where nobody runs gatectl trust',
  },
  {
    term: 'GATECTL_ENGINE',
    means: 'URL of the queue of bda sync submit and worker; unlike --engine, it may contain a password',
  },
  {
    term: 'GATECTL_SANDBOX_CLOCK',
    means: `when the clock of the embedded gateway starts (RFC 3339; default ${SANDBOX_START}), or now; also for GATECTL_BASE_URL on this machine, as sandbox serve prints it`,
  },
  {
    term: 'GATECTL_SANDBOX_RESTATE',
    means: 'with --sandbox, 1 changes the figures of past days as the clock advances',
  },
];

/** Variables of the system that gatectl uses. */
export const COMMON_VARIABLES: readonly Term[] = [
  {
    term: 'HTTPS_PROXY, HTTP_PROXY',
    means: 'proxy for https and http URLs; lower-case names take precedence',
  },
  { term: 'NO_PROXY', means: 'hosts to reach without the proxy' },
  { term: 'NODE_EXTRA_CA_CERTS', means: 'PEM file of additional certificate authorities to trust' },
  {
    term: 'NODE_DISABLE_COMPILE_CACHE',
    means: 'if set, compiled code is not cached',
  },
  {
    term: 'NODE_TLS_REJECT_UNAUTHORIZED',
    means:
      '0 disables certificate verification, so that anyone can impersonate the gateway; gatectl doctor warns about it',
  },
  { term: 'NO_COLOR', means: 'if not empty, disables colors' },
  { term: 'FORCE_COLOR', means: 'uses colors without a terminal too, unless it is 0 or false' },
  {
    term: 'REDISCLI_AUTH, REDIS_URL',
    means: 'password of a Redis queue: the first, or that of the second if it names the same server',
  },
  { term: 'TERM', means: 'dumb disables colors, the pager and the progress bar' },
  { term: 'PAGER', means: 'pager if GATECTL_PAGER is not set (default less)' },
  { term: 'LESS', means: 'options of less (default FRX)' },
  {
    term: 'DISPLAY, WAYLAND_DISPLAY',
    means: 'the display for --open on Linux; without one, nothing is opened',
  },
  { term: 'VISUAL, EDITOR', means: 'editor of gatectl reply edit, the first one that is set' },
  {
    term: 'LC_ALL, LC_CTYPE, LANG',
    means: 'the first one set determines whether to print more than ASCII',
  },
  {
    term: 'XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME',
    means: 'parent folders for profiles, caches and interrupted purges (~/.config, ~/.cache, ~/.local/state)',
  },
  { term: 'MSYSTEM', means: 'set by Git Bash on Windows: commands to paste are quoted for it' },
  { term: 'GITHUB_RUN_ID, CI_JOB_ID, BUILD_ID', means: 'the job of a CI system, for gatectl log' },
  { term: 'GITHUB_ACTIONS', means: 'true adds an annotation to cdn purge --summary' },
  { term: 'SHELL', means: 'shell that gatectl completion install configures' },
  {
    term: 'XDG_DATA_HOME, ZDOTDIR',
    means:
      'folders in which gatectl completion install writes scripts (~/.local/share) and the start-up file of zsh (~)',
  },
  {
    term: 'PGHOST, PGPORT, PGUSER, PGDATABASE, PGOPTIONS',
    means: 'server, account and database of a postgres:// URL, as psql reads them',
  },
  { term: 'PGPASSWORD, PGPASSFILE', means: 'password for PostgreSQL, and the file of passwords (~/.pgpass)' },
  {
    term: 'PGSERVICE, PGSERVICEFILE, PGSYSCONFDIR',
    means: 'connection service of PostgreSQL, and where it is looked up (~/.pg_service.conf)',
  },
  { term: 'PGSSLMODE, PGSSLROOTCERT, PGSSLCERT, PGSSLKEY', means: 'TLS of connections to PostgreSQL' },
  { term: 'PGCONNECT_TIMEOUT', means: 'seconds until a connection to PostgreSQL fails' },
  {
    term: 'CLICKHOUSE_HOST, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD',
    means: 'server that a clickhouse:// URL may name without being trusted, and its account',
  },
  { term: 'AWS_PROFILE, AWS_REGION, AWS_DEFAULT_REGION', means: 'profile and region of s3:// URLs' },
  {
    term: 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY',
    means: 'credentials of s3:// URLs, if no profile is named',
  },
  { term: 'AWS_SESSION_TOKEN', means: 'the token of temporary credentials' },
  { term: 'AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3', means: 'a store with the API of S3, such as MinIO' },
  { term: 'AWS_CA_BUNDLE, AWS_MAX_ATTEMPTS', means: 'trusted authorities and attempts of s3:// URLs' },
  { term: 'AWS_REQUEST_CHECKSUM_CALCULATION', means: 'when_required for stores that reject checksums' },
  { term: 'AWS_RESPONSE_CHECKSUM_VALIDATION', means: 'when_required for stores that send wrong checksums' },
  { term: 'HOME, USERPROFILE', means: 'home folder, also for ~/.pgpass and ~/.aws' },
  { term: 'TMPDIR, TEMP', means: 'folder for interrupted purges if there is no home folder' },
  { term: 'APPDATA, LOCALAPPDATA', means: 'on Windows, parent folders for profiles and for everything else' },
];
