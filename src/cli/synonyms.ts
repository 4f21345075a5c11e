/**
 * Synonyms of commands, by the group in which they are typed; `.yaml` is any name of such a file. The first target that exists is
 * suggested, with the word itself for `$1`.
 */
export const COMMAND_SYNONYMS: Readonly<Record<string, readonly [words: string, ...targets: string[]][]>> = {
  '': [
    ['purge clear flush invalidate cache ban evict purge-all', 'cdn purge'],
    ['ping', 'cdn ping'],
    ['init configure config auth setup signin sign-in connect key keys apikey', 'login', 'profile add'],
    ['logout signout', 'profile remove'],
    ['whoami settings', 'profile show'],
    ['profiles contexts accounts', 'profile list'],
    ['switch use', 'profile use'],
    ['export query analytics stats statistics metrics rows data chart traffic pageviews views', 'bda query'],
    ['top rank ranking best most popular', 'bda top'],
    ['attribute cause causes drivers contributions waterfall', 'bda why'],
    ['report reports', 'bda report'],
    ['segment segments', 'bda segment'],
    ['domains domain sites site websites', 'bda domains'],
    ['columns dimensions fields', 'bda columns'],
    ['datasets data-sets dataset data-set', 'bda data-sets'],
    ['migrate convert migrate-query', 'bda migrate-query'],
    ['sql duckdb psql select', 'bda sql'],
    ['sync etl replicate warehouse lake elt', 'bda sync'],
    ['check can allowed can-read authorize entitlement', 'access'],
    ['audit reconcile drift compare-list', 'access audit'],
    ['wait poll', 'access wait'],
    ['user users readers subscriber subscribers member customer account lookup explain', 'reader'],
    ['replies template templates answer canned', 'reply list'],
    ['product plans subscription subscriptions', 'products'],
    ['purchase order orders entitlements payments', 'purchases'],
    ['jwt identity identity-token mint', 'token'],
    ['ai assistant claude copilot agent llm', 'mcp'],
    ['mock serve server fake emulator simulator demo start', 'sandbox serve'],
    ['request raw curl http call get post rest', 'api'],
    ['diagnose status health test debug troubleshoot verify connection reachable', 'doctor'],
    ['completions autocomplete autocompletion', 'completion'],
    ['man manual usage topics info commands', 'help'],
    ['doc documentation tutorial tutorials examples guide guides quickstart pages handbook', 'docs'],
    ['find search how howto how-to', 'docs search'],
    ['skill', 'skills install'],
    ['aliases', 'alias list'],
    ['lock locks', 'unlock'],
    ['openapi spec swagger json-schema jsonschema', 'schema'],
  ],
  cdn: [
    ['clear flush invalidate delete remove cache ban evict purge-all clear-all', 'cdn purge'],
    ['status check health test', 'cdn ping'],
    ['webhook webhooks hook event events receive server daemon cms', 'cdn listen'],
    ['log list purges last undo yesterday earlier past', 'cdn history'],
  ],
  bda: [
    ['alert alerts alarm monitor anomaly anomalies detect', 'bda watch'],
    ['explain attribute cause causes drivers contributions waterfall', 'bda why'],
    ['rank ranking best', 'bda top'],
    ['countries country pages page authors sources devices', 'bda top $1'],
    ['visits pageviews revenue', 'bda query -m $1'],
    ['compare trend', 'bda query --compare previous'],
    ['chart', 'bda query --chart'],
    ['export run get select rows stats analytics search data', 'bda query'],
    ['reports', 'bda report'],
    ['segments', 'bda segment'],
    ['filters', 'bda filter'],
    ['multifilters', 'bda multifilter'],
    ['sites domain websites', 'bda domains'],
    ['dimensions metrics fields column', 'bda columns'],
    ['datasets data-set dataset tables', 'bda data-sets'],
    ['dates days range daterange', 'bda date-range'],
    ['migrate convert', 'bda migrate-query'],
    ['duckdb psql sqlite', 'bda sql'],
    ['replicate warehouse lake etl elt backfill', 'bda sync'],
  ],
  'bda sync': [
    ['.yaml .yml', 'bda sync run $1'],
    ['start execute now load backfill pull update nightly clickhouse postgres', 'bda sync run'],
    ['preview dry-run explain diff', 'bda sync plan'],
    ['check test validate compare', 'bda sync verify'],
    ['info show stat list ls', 'bda sync status'],
    ['log logs runs', 'bda sync history'],
    ['new create add', 'bda sync init'],
    ['restate repair', 'bda sync sweep'],
    ['enqueue queue distribute add-units push', 'bda sync submit'],
    ['workers work consume process', 'bda sync worker'],
    ['wait finish complete', 'bda sync drain'],
    ['requeue redo again failed', 'bda sync retry'],
    ['abort clear purge remove stop', 'bda sync cancel'],
    ['schema create-table tables views', 'bda sync ddl'],
  ],
  'bda query': [
    ['ls', 'bda query list'],
    ['rm remove', 'bda query delete'],
    ['add store', 'bda query save'],
    ['cat', 'bda query show'],
  ],
  'bda report': [
    ['get export query execute start', 'bda report run'],
    ['add', 'bda report create'],
    ['new', 'bda report init'],
    ['make render compose mail email html xlsx document dashboard', 'bda report build'],
    ['.yaml .yml', 'bda report build $1'],
    ['ls all', 'bda report list'],
    ['describe info', 'bda report show'],
  ],
  'bda segment': [
    ['add new', 'bda segment create'],
    ['ls all', 'bda segment list'],
  ],
  profile: [
    ['create new init login store save', 'profile add'],
    ['rm delete del', 'profile remove'],
    ['ls all', 'profile list'],
    ['switch select default', 'profile use'],
    ['current get describe info', 'profile show'],
    ['edit update change', 'profile set'],
    ['key rotate', 'profile set-key'],
    ['clear reset', 'profile unset'],
    ['file where', 'profile path'],
  ],
  alias: [
    ['add create new', 'alias set'],
    ['rm remove unset', 'alias delete'],
    ['ls all', 'alias list'],
  ],
  access: [['watch poll', 'access wait']],
  completion: [
    ['add setup enable tab', 'completion install'],
    ['remove disable', 'completion uninstall'],
  ],
  skills: [
    ['add setup', 'skills install'],
    ['print cat', 'skills show'],
  ],
  token: [['verify decode check validate show', 'token inspect']],
  sandbox: [['start run up server listen record replay proxy', 'sandbox serve']],
};

/** The path of the command for a synonym in a group, if it exists: `purge` in `` is `cdn purge`. */
export function commandFor(group: string, word: string, exists: Exists): readonly string[] | undefined {
  const target = targetFor(group, word, exists);
  return target === undefined ? undefined : pathOf(target);
}

/** What to type for a synonym in a group: `bda top countries` for `countries` in `bda`. */
export function synonymLine(group: string, word: string, exists: Exists): string | undefined {
  return targetFor(group, word, exists)?.replace('$1', () => word);
}

type Exists = (path: readonly string[]) => boolean;

function targetFor(group: string, word: string, exists: Exists): string | undefined {
  const entries = Object.hasOwn(COMMAND_SYNONYMS, group) ? (COMMAND_SYNONYMS[group] ?? []) : [];
  const typed = word.toLowerCase();
  const found = entries.find(([words]) =>
    words.split(' ').some(each => (each.startsWith('.') ? typed.endsWith(each) : typed === each)),
  );
  return found?.slice(1).find(target => exists(pathOf(target)));
}

/** `['bda', 'query']` of `bda query -m $1`. */
function pathOf(target: string): readonly string[] {
  return target.replace(/ (?:-.*|\$1)$/, '').split(' ');
}

/** A hint for commands that match. */
interface CommandHint {
  readonly command: RegExp;
  readonly text: string;
}

const ANY = /^/;
/** Commands that consist of requests, which --curl prints. */
const SENDS = /^gatectl (access|products|purchases|reader|token|api|cdn|bda)\b/;

/**
 * Synonyms of options. The first target is suggested of which the command has all options.
 */
const OPTION_SYNONYMS: readonly (readonly [names: string, ...targets: (string | CommandHint)[]])[] = [
  // Former names.
  ['again', '--repeat-after'],
  ['failed-to', '--failed-file'],
  ['complete-only', '--complete-periods'],
  ['only', '--label'],
  ['surface', '--api'],
  // Saved queries.
  [
    'out chart title ascii all page-size concurrency units strict resume no-resume manifest print',
    { command: / bda query save$/, text: 'pass it when the query runs: gatectl bda query run NAME' },
  ],
  // Watch.
  [
    'd dimension dimensions group-by by split breakdown',
    {
      command: / bda watch$/,
      text: 'omit it: watch judges totals; pass --filter country=US for one value, or --why to explain an alert',
    },
  ],
  [
    'last from to previous this period days date since until start-date end-date range week month vs compare',
    {
      command: / bda watch$/,
      text: 'omit it: watch judges the last settled day by the weeks before it',
    },
  ],
  // Output.
  ['format fmt output-format as', '--output'],
  ['ndjson tsv md html table markdown', '--output'],
  [
    'excel xlsx xls spreadsheet workbook',
    { command: / bda report build$/, text: 'type --out FILE.xlsx' },
    { command: / bda (query( run)?|top|report run)$/, text: 'type -o xlsx --out FILE.xlsx' },
  ],
  [
    'pdf',
    { command: / bda report build$/, text: 'type --out FILE.html, and print the page to a PDF in a browser' },
    { command: / bda /, text: 'type -o html > FILE.html, and print the page to a PDF in a browser' },
  ],
  [
    'email mail to eml send recipient',
    {
      command: / bda report build$/,
      text: 'write a mail, with its recipients in the report file: --out FILE.eml',
    },
    { command: / bda watch$/, text: 'run a command for each alert: --on-alert COMMAND' },
  ],
  ['excel semicolon delimiter separator decimal-comma', '--csv-dialect'],
  [
    'out output-file outfile to-file save write dest',
    '--out',
    { command: ANY, text: 'redirect stdout to a file: gatectl … > FILE' },
  ],
  ['top max max-rows max-results rows count n head first size', '--limit'],
  ['skip start-row', '--offset'],
  ['graph plot draw diagram', '--chart'],
  ['title heading caption', '--title', '--name'],
  ['round precision digits decimal', '--decimals'],
  ['silent no-notes', '--quiet'],
  ['debug trace log', '--verbose'],
  ['no-colour plain', '--no-color'],
  // Dates.
  [
    'tz timezone zone time-zone',
    '--tz',
    '--time-zone',
    { command: / bda /, text: 'the zone is a setting: gatectl profile set time-zone ZONE' },
  ],
  ['range dates date day quarter year in during', '--period'],
  ['days weeks months', '--last'],
  ['month week', '--this or --previous'],
  ['yesterday', { command: / bda /, text: 'type --period yesterday' }],
  ['today', { command: / bda /, text: 'type --period today' }],
  ['since start start-date begin after from-date date-from startdate', '--from'],
  ['until till end end-date before to-date date-to enddate', '--to'],
  ['compare-to versus', '--compare'],
  // Queries.
  [
    'columns',
    { command: / bda (query( run)?|report run)$/, text: 'choose the columns with --dimension and --metric' },
  ],
  ['cols fields select', '--dimension', '--columns'],
  ['group-by groupby by breakdown dimensions group', '--dimension'],
  ['metrics measure measures values', '--metric'],
  ['where filters', '--filter'],
  ['f', '--filter'],
  [
    'sort order order-by orderby sort-by by',
    { command: / bda top$/, text: 'rank by a metric, the largest first: -m METRIC; bda query has --sort' },
  ],
  ['order order-by orderby sort-by desc asc', '--sort'],
  ['dataset data-source source', '--data-set'],
  ['domain site sites domain-name website', '--domain', '--domain-id'],
  ['domain site', { command: / bda /, text: 'store the domain: gatectl profile set domain DOMAIN' }],
  // Readers.
  ['user reader mail e-mail subscriber reader-email', '--email'],
  ['token session session-token', '--reader-token'],
  ['handle sku plan product-id', '--product'],
  ['article content content-id item-id', '--item'],
  [
    'lang language',
    '--language',
    {
      command: / access$/,
      text: 'replies have a language: gatectl reader EMAIL --reply --language CODE',
    },
  ],
  // Purges and lists.
  [
    'url urls',
    { command: / cdn purge$/, text: 'type the URLs as arguments: gatectl cdn purge URL…' },
    { command: / (access|reader)$/, text: 'did you mean --item?' },
    '--base-url',
  ],
  ['tag tags surrogate-key surrogate-keys keys', '--key'],
  ['everything purge-all entire', '--all'],
  ['input list input-file from-file', '--file', '--from-file', '--input'],
  ['parallel jobs threads workers', '--concurrency'],
  ['wait delay', '--repeat-after'],
  ['continue', '--resume'],
  ['restart start-over fresh', '--no-resume'],
  ['force assume-yes no-confirm y', '--yes', '--replace'],
  ['overwrite', '--replace'],
  [
    'force overwrite replace',
    { command: / bda (query( run)?|report run)$/, text: 'omit it: --out replaces an existing file' },
  ],
  [
    'append',
    {
      command: / bda (query( run)?|report run)$/,
      text: 'write to another file: --out replaces an existing one',
    },
  ],
  [
    'dry simulate noop preview dry-run',
    '--dry-run',
    '--print',
    { command: SENDS, text: 'did you mean --curl?' },
  ],
  ['x method request', { command: / api$/, text: 'type the method before the path: gatectl api POST PATH' }],
  [
    'd data body json-body',
    { command: / api$/, text: 'send a body with --input FILE or - for stdin, or fields with -f' },
  ],
  // All commands.
  ['endpoint host server gateway api-url base address', '--base-url'],
  ['no-prompt non-interactive batch', '--no-input'],
  ['demo mock fake offline', '--sandbox'],
  ['record capture vcr', '--record-from'],
  ['playback', '--replay'],
  ['listen', '--port'],
  ['retry max-retries', '--retries'],
  ['max-time time-limit', '--timeout'],
  ['insecure http', '--insecure-http'],
  ['env context config account', '--profile'],
  ['query expression', '--jq'],
  ['usage', '--help'],
];

/** The hint for an unknown option of a command. `names` are the options that the command has. */
export function optionHint(name: string, names: readonly string[], command: string): string | undefined {
  const word = name.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
  if (names.includes(`--${word}`)) return `did you mean --${word}?`;
  const targets = OPTION_SYNONYMS.filter(([words]) => words.split(' ').includes(word)).flatMap(
    ([, ...each]) => each,
  );
  const target = targets.find(each =>
    typeof each === 'string'
      ? optionsIn(each).every(option => names.includes(option))
      : each.command.test(command),
  );
  return typeof target === 'string' ? `did you mean ${target}?` : target?.text;
}

function optionsIn(text: string): readonly string[] {
  return text.match(/--[a-z-]+/g) ?? [];
}
