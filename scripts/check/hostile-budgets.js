const DAYS = ['--from', '2026-03-01', '--to', '2026-03-07'];
const READER = ['--email', 'reader@example.com', '--domain', 'example.com'];

/** How a server that means harm responds, to whatever it is asked. */
export const HOSTILE_SERVERS = [
  { name: 'a string without end', begin: '{"a":"', more: 'x' },
  { name: 'numbers without end', begin: '[0', more: ',0' },
  { name: 'objects without end', begin: '[{}', more: ',{}' },
  {
    name: 'rows without end',
    begin: '{"total_rows":9,"rows":[{"id":1,"visits":2}',
    more: ',{"id":1,"visits":2}',
  },
  { name: 'blanks without end', begin: '{"rows":[', more: ' ' },
  { name: 'arrays in arrays without end', begin: '', more: '[' },
  { name: '12 MB of {}', begin: '[{}', more: ',{}', bytes: 12_000_000, end: ']' },
  { name: '15 MB of strings', begin: '["x"', more: `,"${'x'.repeat(97)}"`, bytes: 15_000_000, end: ']' },
  { name: 'one string of 15 MB', begin: '["', more: 'x', bytes: 15_000_000, end: '"]' },
  { name: 'a body that drips', begin: '{"rows":[', more: ' ', everyMs: 20 },
  {
    name: 'blanks that drip, a few kilobytes a second',
    begin: '{"rows":[',
    more: ' '.repeat(300),
    everyMs: 50,
  },
  { name: 'a body that stops', begin: '{"rows":[', more: '' },
];

const small = (command, args) => ({ command, args, megabytes: 200, seconds: 15 });
const listing = (command, args) => ({ command, args, megabytes: 500, seconds: 15 });
const rows = (command, args) => ({ command, args, megabytes: 250, seconds: 15 });

/**
 * What each command may take of memory (the peak of its resident size, Node's own 60 MB included) and time, with `--timeout 2` and
 * without retries, whatever a server of the list does.
 */
export const HOSTILE_BUDGETS = [
  small('access', ['access', '--product', 'premium', ...READER]),
  small('access --from-file', [
    'access',
    '--product',
    'premium',
    '--from-file',
    '-',
    '--domain',
    'example.com',
  ]),
  small('access audit', [
    'access',
    'audit',
    '--product',
    'premium',
    '--from-file',
    '-',
    '--domain',
    'example.com',
  ]),
  small('access wait', ['access', 'wait', '--product', 'premium', '--for', '2s', ...READER]),
  listing('products', ['products', ...READER]),
  listing('purchases', ['purchases', ...READER]),
  listing('reader', ['reader', ...READER]),
  listing('reader --why', ['reader', '--why', ...READER]),
  small('token', ['token', ...READER]),
  small('cdn ping', ['cdn', 'ping']),
  small('cdn purge', ['cdn', 'purge', 'https://example.com/news']),
  small('cdn purge --key', ['cdn', 'purge', '--key', 'news', '--domain', 'example.com']),
  small('cdn purge --all', ['cdn', 'purge', '--all', '--yes', '--domain', 'example.com']),
  listing('bda domains', ['bda', 'domains']),
  listing('bda columns', ['bda', 'columns']),
  listing('bda data-sets', ['bda', 'data-sets']),
  listing('bda date-range', ['bda', 'date-range']),
  rows('bda why', ['bda', 'why', '--data-set', 'pageview', '-m', 'visits', '-d', 'country', ...DAYS]),
  rows('bda query', [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'id',
    '-m',
    'visits',
    ...DAYS,
    '--limit',
    '5',
  ]),
  rows('bda query --all', [
    ...['bda', 'query', '--data-set', 'pageview', '-d', 'id', '-m', 'visits', ...DAYS],
    ...['--all', '--page-size', '100', '-o', 'csv'],
  ]),
  rows('bda query --jq', [
    ...['bda', 'query', '--data-set', 'pageview', '-d', 'id', '-m', 'visits', ...DAYS],
    ...['--limit', '1000', '--jq', 'length'],
  ]),
  rows('bda report run', ['bda', 'report', 'run', '-d', 'id', '-m', 'visits', ...DAYS, '--limit', '5']),
  rows('bda report run --all', [
    ...[
      'bda',
      'report',
      'run',
      '-d',
      'id',
      '-m',
      'visits',
      ...DAYS,
      '--all',
      '--page-size',
      '100',
      '-o',
      'csv',
    ],
  ]),
  // Two listings at once, whose rows are printed together.
  { ...listing('bda report list', ['bda', 'report', 'list']), megabytes: 650 },
  listing('bda report show', ['bda', 'report', 'show', 'Countries']),
  listing('bda report create', ['bda', 'report', 'create', '-']),
  listing('bda segment list', ['bda', 'segment', 'list']),
  listing('bda segment create', ['bda', 'segment', 'create', '-']),
  listing('bda migrate-query', ['bda', 'migrate-query', '--report', 'Countries', ...DAYS]),
  { ...listing('bda migrate-query --account', ['bda', 'migrate-query', '--account']), seconds: 30 },
  listing('bda filter list', ['bda', 'filter', 'list']),
  listing('bda multifilter list', ['bda', 'multifilter', 'list']),
  listing('bda multifilter types', ['bda', 'multifilter', 'types']),
  {
    command: 'api',
    args: ['api', 'GET', '/gateway/bdaservices/v2/domains'],
    megabytes: 900,
    seconds: 15,
  },
  { ...listing('login', ['login', '--domain', 'example.com']), seconds: 60 },
  { ...listing('doctor', ['doctor']), seconds: 60 },
];

/** Commands that send nothing to the gateway. */
export const OFFLINE_COMMANDS = [
  'reply list',
  'reply show',
  'reply edit',
  'reply reset',
  'token inspect',
  'profile add',
  'profile list',
  'profile show',
  'profile use',
  'profile set',
  'profile unset',
  'profile set-key',
  'profile remove',
  'profile path',
  'alias set',
  'alias list',
  'alias delete',
  'mcp',
  'mcp install',
  'unlock',
  'sandbox serve',
  'completion install',
  'completion uninstall',
  'completion bash',
  'completion zsh',
  'completion fish',
  'completion powershell',
  'schema',
  'help',
];
