import { nearest } from '../errors/nearest.ts';
import type { Reason, ReasonFacts } from '../errors/reasons.ts';
import { pluralize } from '../terminal/numbers.ts';
import { printable } from '../text/printable.ts';
import { choiceHint, filterHint } from './value-hints.ts';

type Hint = string | readonly string[];

const RESUBMIT = 'submit the plan again: gatectl bda sync cancel && gatectl bda sync submit';
const COPY_TO_FILE = 'to write the rows to a file, add --out FILE';

const PLAIN_DESTINATIONS = {
  clickhouse: 'use TLS: clickhouses://HOST:8443/DATABASE; or, on a network of your own, add --insecure-http',
  postgres: 'require TLS: sslmode=require in the URL; or, on a network of your own, set PGSSLMODE=prefer',
  s3: 'use an https:// endpoint; or, on a network of your own, add --insecure-http',
};

/** What to type for each reason. */
const HINTS: { readonly [Name in keyof ReasonFacts]: Hint | ((facts: ReasonFacts[Name]) => Hint) } = {
  alias_is_empty: "type 'cdn purge --file $1'",
  alias_of_command: 'choose another name',
  alias_without_command: ({ first, commands }) => {
    if (first.startsWith('!'))
      return 'an alias expands to a gatectl command; for a shell command use a shell alias';
    return similarOr(first, commands, `start with a command, without gatectl: ${commands.join(', ')}`);
  },
  allowed_characters: ({ characters }) => `use ${characters}`,
  ambiguous_column: 'rename one of them in the header',
  compared_column_taken: 'omit that column',
  compared_with_itself:
    'for the days before, pass --compare previous; for those a year earlier, --compare year',
  damaged_by_pasting: 'type it, or paste it without that character',
  domain_not_bare: ({ bare }) =>
    bare === undefined ? 'type a bare domain, such as example.com' : `type --domain ${bare}`,
  denied: ({ denials }) =>
    denials.map(({ policy, rule, reason }) =>
      rule === undefined ? `${policy}: ${reason}` : `${policy}, ${rule}: ${reason}`,
    ),
  earlier_types: 'run gatectl bda sync run: it requests them again',
  empty_reply: 'to restore the built-in reply: gatectl reply reset',
  engine_password: ({ isRedis }) =>
    isRedis ? 'set REDISCLI_AUTH to the password' : 'set PGPASSWORD to the password, or add it to ~/.pgpass',
  export_changed: ({ changes, partial, rows }) => [
    ...changes.map(({ name, before, now }) => `${name}: then ${before ?? 'none'}, now ${now ?? 'none'}`),
    `to resume it, repeat the earlier command; to discard its ${pluralize(rows, 'row')} in ${partial}, add --no-resume`,
  ],
  inconsistent_store: 'use a store with strong consistency, such as S3, R2, MinIO or Ceph',
  key_as_setting: 'use --api-key-stdin, --api-key-file, --key-command or --keyring of profile add',
  key_of_other_gateway: ({ before, origin }) => [
    'store the key for the new base URL: add --api-key-stdin, --api-key-file, --key-command or --keyring',
    ...(before === undefined ? [] : [`or send the same key to ${origin}: add --move-key-from ${before}`]),
  ],
  known: ({ what, values }) => `${what}: ${values.join(', ')}`,
  list_not_utf8: 'if Excel saved it as CSV, pass --encoding latin1; else save it as UTF-8',
  long_manifest_key: 'choose a shorter key for --out, or omit --manifest',
  name_taken: 'choose another name, or add --replace',
  no_audit_then: ({ days }) =>
    days.length === 0
      ? 'no audit is stored for this domain and product'
      : `audits are stored of ${days.join(', ')}`,
  no_audit_to_resume: 'omit --resume to check all readers',
  no_base_url_for_key: 'set it first: gatectl profile set base-url URL',
  no_days: 'pass --last 7d, --previous month, or --from DAY --to DAY',
  no_config_folder: ({ of }) =>
    of === 'queries'
      ? 'set GATECTL_CONFIG_DIR to a folder, or add --project'
      : 'set GATECTL_CONFIG_DIR to a folder, or use GATECTL_BASE_URL and GATECTL_API_KEY without a profile',
  no_engine: ({ examples }) => `pass --engine, or set GATECTL_ENGINE: ${examples}`,
  no_list_column: ({ usual, what }) => `name the column ${usual}, or pass one ${what} per line`,
  no_profiles_file:
    'profiles need a folder: set HOME or GATECTL_CONFIG_DIR, or set GATECTL_BASE_URL and GATECTL_API_KEY instead',
  no_reply: ({ situation, language, languages }) => [
    `languages: ${languages.join(', ')}`,
    `to write one: gatectl reply edit ${situation} --language ${language}`,
  ],
  no_shard: ({ scheduler }) => `${scheduler} sets it; elsewhere, pass --shard`,
  no_shard_count: ({ variable }) =>
    variable === undefined
      ? 'pass --shards N, with the completions of the Job'
      : `set ${variable}, or pass --shards N`,
  no_url_column: 'gatectl bda columns lists the columns; nothing was sent',
  not_a_filter: filterHint,
  not_a_proxy: 'set it to http://HOST:PORT, or unset it',
  not_a_session_token: 'pass the result of getSessionToken() unchanged',
  not_a_sitemap: 'a sitemap is XML with <urlset> or <sitemapindex>',
  not_a_time: 'pass one such as 2026-03-01T12:00:00Z, or now',
  not_a_unit: 'write the file with gatectl bda sync plan --units',
  not_a_token: 'pass a JSON Web Token: three parts of letters and digits with dots between',
  not_one_of: choiceHint,
  not_an_address: 'pass an address such as name@example.com',
  not_resumable: '--resume requires a regular file and no --limit',
  not_utf8: 'save it as UTF-8',
  nothing_to_resume:
    'omit --resume: without it, the command resumes an interrupted export and otherwise starts one',
  object_lock_lost: 'run the command again; complete rows are kept',
  plain_destination: ({ kind }) => PLAIN_DESTINATIONS[kind],
  plain_gateway: ({ url = 'https://…' }) =>
    `type ${url.replace(/^http:/, 'https:')}, or add --insecure-http if the network is your own`,
  quarantined:
    'gatectl bda sync status lists the rows that are kept aside; run --refetch requests them again',
  queue_without_units: 'submit the units of a plan: gatectl bda sync submit --engine URL',
  requires_own_file: 'type --out FILE',
  rows_without_columns: 'omit --columns',
  secret_in_file: 'gatectl reads the key from a profile or from GATECTL_API_KEY',
  shards_changed:
    'name an empty database in the sync file, and run gatectl bda sync run: it requests all rows again',
  shards_with_gaps: 'pass --shard, such as --shard $((SLURM_ARRAY_TASK_ID + 1))/16 for --array=0-15',
  similar: ({ meant }) => `did you mean ${meant}?`,
  site_column_taken: 'name one domain at a time',
  site_not_cached: 'run gatectl bda domains to cache the ids, or pass --domain-id N',
  sql_copies: COPY_TO_FILE,
  sql_of_unknown_table:
    'a table is a file after the query, such as pages.csv, or with --sync a table of a sync file',
  sql_opens_file: [
    'name the files that the query reads after it: gatectl bda sql QUERY pages.parquet',
    COPY_TO_FILE,
  ],
  sql_without_rows: "type a query: gatectl bda sql 'SELECT * FROM pages' pages.csv",
  superseded_unit: 'plan again: gatectl bda sync plan --units > units.ndjson',
  table_without_rows: 'run gatectl bda sync run first',
  token_as_address: 'pass the token on stdin with --reader-token-stdin',
  too_many_connections: 'lower --concurrency, or raise max_connections',
  too_many_cells: 'export them to a file: --out FILE',
  too_many_products: 'check --product-column: it must name the column with the product handles',
  too_many_rows: 'reduce them with --limit, --filter or fewer dimensions',
  too_many_rows_of_section: 'reduce them with limit, filter or fewer dimensions',
  unclosed_quote: 'close the quote',
  unit_of_other_file: `name all sync files of the account, or ${RESUBMIT}`,
  unit_of_other_query: RESUBMIT,
  units_of_several_plans: 'run each plan on its own',
  units_set_aside: ({ ofOtherFile, others }) => [
    ...(ofOtherFile > 0 ? [`for a sync file that has changed, ${RESUBMIT}`] : []),
    ...(others > 0 ? ['return them to the queue: gatectl bda sync retry'] : []),
  ],
  unknown_column: ({ typed, columns }) => {
    const similar = nearest(typed, columns);
    return [
      ...(similar === undefined ? [] : [`did you mean ${similar}?`]),
      `the columns: ${columns.join(', ')}`,
    ];
  },
  unknown_list_column: ({ columns }) =>
    `columns: ${columns.join(', ') || 'none; the first line must name them'}`,
  unknown_name: ({ typed, what, existing, path }) => {
    if (existing.length > 0) return similarOr(typed, existing, `the ${what} are: ${existing.join(', ')}`);
    return path === undefined ? `there are no ${what} yet` : `${path} has no ${what} yet`;
  },
  unknown_query: ({ query, saved, elsewhere }) => {
    if (elsewhere === 'project') return 'the project has one: add --project';
    if (elsewhere === 'user') return `${query} is your own: omit --project`;
    return saved.length === 0
      ? 'save one with: gatectl bda query save NAME --data-set …'
      : similarOr(query, saved, `saved queries: ${saved.join(', ')}`);
  },
  unknown_data_set: 'gatectl bda data-sets lists them',
  unknown_scheduler: ({ variables }) =>
    `one of: ${variables.join(', ')}; for another scheduler, pass --shard`,
  unknown_site: ({ close }) => [
    ...(close.length === 0 ? [] : [`did you mean ${close.join(' or ')}?`]),
    'gatectl bda domains lists the sites',
  ],
  unreadable_token_key:
    '--key reads a PEM public key or certificate, a JWK, a set of JWKs, or a shared secret',
  view_of_column:
    'drop the view, run it again, then create the view again: gatectl bda sync ddl prints those of gatectl',
  weekdays_of_months: 'group by days or weeks, or drop --match-weekdays',
  workbook_as_text: 'save it as CSV: in Excel, File > Save As > CSV UTF-8',
};

function similarOr(typed: string, names: readonly string[], otherwise: string): string {
  const similar = nearest(typed, names);
  return similar === undefined ? otherwise : `did you mean ${similar}?`;
}

/** The hints for a reason, one line each. */
export function hintsForReason(reason: Reason): readonly string[] {
  const hint = HINTS[typeof reason === 'string' ? reason : reason.name] as Hint | ((facts: Reason) => Hint);
  return [typeof hint === 'function' ? hint(reason) : hint].flat().map(printable);
}
