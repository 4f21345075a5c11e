import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCurlCommand } from '../../src/migrate/index.ts';
import { shellCommands } from '../../src/migrate/shell-words.ts';
import { runs } from '../support/runs.ts';

const URL_TEXT = 'https://gw.example.com/bdaservices/getdata/?developerKey=KEY-9&reportName=Traffic';
const CALL = { endpoint: 'getdata', reportName: 'Traffic', ignoredParameters: 0 };

describe('a pasted curl command', () => {
  test.each<[string, string, object]>([
    [
      'as the documentation writes it',
      `curl -X POST '${URL_TEXT}' -H 'Content-Type: application/json' -d '{"MaxItems":5}'`,
      { body: '{"MaxItems":5}' },
    ],
    [
      'over several lines',
      `curl -X POST \\\n  "${URL_TEXT}" \\\r\n  -H "X-API-Key: KEY-9" \\\n  --data '{\n "MaxItems": 5\n}'\n`,
      { body: '{\n "MaxItems": 5\n}' },
    ],
    [
      'as a browser copies it',
      `curl '${URL_TEXT}' -H 'cookie: s=KEY-9' --data-raw $'{"a":"it\\'s \\u0021"}' --compressed --insecure`,
      { body: '{"a":"it\'s !"}' },
    ],
    [
      'in double quotes',
      `curl -d "{\\"MaxItems\\": 5, \\"a\\": \\"\\$5\\"}" "${URL_TEXT}"`,
      { body: '{"MaxItems": 5, "a": "$5"}' },
    ],
    ['with a prompt, and a pipe after it', `$ curl -s '${URL_TEXT}' -d '{}' | jq '.rows'`, { body: '{}' }],
    [
      'with a variable before it',
      `KEY=KEY-9 /usr/bin/curl "${URL_TEXT}" -d '{}' > KEY-9.json`,
      { body: '{}' },
    ],
    [
      'with short options run together',
      `curl -sSLXPOST -d'{"a":1}' -HX-API-Key:KEY-9 -o KEY-9 '${URL_TEXT}'`,
      { body: '{"a":1}' },
    ],
    [
      'with the URL as an option',
      `curl --json '{}' --url '${URL_TEXT}' -u me:KEY-9 --max-time 9`,
      { body: '{}' },
    ],
    ['with an unquoted URL', `curl ${URL_TEXT} --data-ascii {}`, { body: '{}' }],
    ['with a comment', `# daily report\ncurl '${URL_TEXT}' -d '{}' # KEY-9`, { body: '{}' }],
    [
      'with the body in a file',
      `curl '${URL_TEXT}' --data-binary @request.json`,
      { bodyFile: 'request.json' },
    ],
    ['with the body on stdin', `curl '${URL_TEXT}' -d @-`, { bodyFile: '-' }],
    ['with a raw body that starts like a file', `curl '${URL_TEXT}' --data-raw '@x'`, { body: '@x' }],
    ['without a body', `curl -X post '${URL_TEXT}'`, {}],
    [
      'in a script',
      `#!/bin/sh\nset -e\ncd /srv && curl -s '${URL_TEXT}' -d '{}' 2>/dev/null\nmail -s "it's there" ops@example.com\n`,
      { body: '{}' },
    ],
    ['whose output goes elsewhere', `curl '${URL_TEXT}' > KEY-9.json 2>&1 -d '{}' &>>log`, { body: '{}' }],
    ['in a variable', `ROWS=$(curl -s '${URL_TEXT}' -d '{}'); echo "$ROWS"`, { body: '{}' }],
    ['after curl was looked for', `which curl || exit 1; curl '${URL_TEXT}' -d '{}'`, { body: '{}' }],
    [
      'whose lines lost their backslashes',
      `curl -X POST\n  '${URL_TEXT}'\r\n\n  -d '{}'\n  https_proxy= true`,
      { body: '{}' },
    ],
  ])('%s', (_, command, expected) => {
    const reading = readCurlCommand(command);
    expect(reading).toEqual({ ok: true, call: CALL, ...expected });
    expect(JSON.stringify(reading)).not.toContain('KEY-9');
  });

  test('the key may be a variable, because its value is not needed', () => {
    const command =
      'curl "https://gw.example.com/bdaservices/getdata/?developerKey=$KEY&reportName=Traffic" -d "{}"';
    expect(readCurlCommand(command)).toEqual({ ok: true, call: CALL, body: '{}' });
  });

  test.each<[string, string, string, unknown?]>([
    ['that is no curl', `wget '${URL_TEXT}'`, 'it is not a curl command'],
    ['with an open quote', `curl '${URL_TEXT}`, 'it has an unterminated quote'],
    [
      'for the Windows prompt',
      `curl ^\r\n "${URL_TEXT}"`,
      'it is a command for cmd.exe: copy it as cURL (bash) or cURL (POSIX)',
    ],
    ['without a URL', "curl -d '{}'", 'it has no URL'],
    [
      'with two URLs',
      `curl '${URL_TEXT}' https://x.example.com/KEY-9`,
      'it has several URLs: pass one at a time',
    ],
    [
      'before another one',
      `curl '${URL_TEXT}' -d '{}' --next https://x.example.com/KEY-9 -d '{}'`,
      'it has several URLs: pass one at a time',
    ],
    ...['; ', ' && ', ' | ', '\n'].map((between): [string, string, string] => [
      `with ${JSON.stringify(between)} and another one after it`,
      `curl '${URL_TEXT}' -d '{}'${between}curl https://x.example.com/KEY-9 -d '{}'`,
      'it contains several curl commands: pass each in its own file',
    ]),
    ['with two bodies', `curl '${URL_TEXT}' -d '{}' -d KEY-9`, 'it has several bodies: join them into one'],
    [
      'that uploads a form',
      `curl '${URL_TEXT}' -F a=KEY-9`,
      '-F sends no JSON: v1 requires a JSON body (-d)',
    ],
    [
      'that encodes its data',
      `curl '${URL_TEXT}' --data-urlencode KEY-9`,
      '--data-urlencode sends no JSON: v1 requires a JSON body (-d)',
    ],
    [
      'that sends its body in the URL',
      `curl -G '${URL_TEXT}' -d a=KEY-9`,
      '--get sends the body in the URL: v1 requires the body of a POST',
    ],
    ['that gets', `curl -X GET '${URL_TEXT}'`, 'it does not send a POST, and v1 data requests are POST'],
    [
      'whose report is a variable',
      'curl "https://gw.example.com/bdaservices/getdata/?reportName=$A" -d "{}"',
      'the report in the URL is $A, whose value is unknown',
      [{ marker: '\ue0000\ue001', label: '$A', name: 'A' }],
    ],
    [
      "whose body's file is a variable",
      `curl '${URL_TEXT}' -d "@${'$'}{A}.json"`,
      'the file name of its body is $A',
      [{ marker: '\ue0000\ue001', label: '$A', name: 'A' }],
    ],
    [
      'for another endpoint',
      'curl https://gw.example.com/bdaservices/getcolumns/?developerKey=KEY-9',
      'getcolumns is not a data request; GET /columns lists the columns',
    ],
  ])('one %s is rejected', (_, command, reason, unknown?: unknown) => {
    expect(readCurlCommand(command)).toEqual({ ok: false, reason, ...(unknown ? { unknown } : {}) });
  });

  test.each<[string, string, string, string[]]>([
    ['a variable in a string', '"{\\"StartDate\\": \\"$START\\"}"', '{"StartDate": "0"}', ['$START']],
    ['a variable that is a number', `'{"DomainId": '$ID'}'`, '{"DomainId": "0"}', ['$ID']],
    ['a command', `'{"A": "'$(date -d "7 days ago" +%F)'"}'`, '{"A": "0"}', ['$(date …)']],
    [
      'a command in double quotes',
      '"{\\"A\\": \\"$(date -d "1 day ago" +%F)\\"}"',
      '{"A": "0"}',
      ['$(date …)'],
    ],
    ['backticks', '"{\\"A\\": \\"`cat KEY-9`\\"}"', '{"A": "0"}', ['$(…)']],
    ['a default', `"{\\"A\\": \\"\${A:-"it's $B"}\\"}"`, '{"A": "0"}', ['$A']],
    ['several', `"{\\"A\\": \\"$A-\${B}\\", \\"C\\": $C}"`, '{"A": "0-1", "C": "2"}', ['$A', '$B', '$C']],
  ])('a body with %s has a marker in its place', (_, body, expected, shown) => {
    const reading = readCurlCommand(`curl '${URL_TEXT}' -d ${body}`);
    if (!reading.ok) expect.unreachable(reading.reason);
    const { unknown = [] } = reading;
    expect(unknown.map(({ label }) => label)).toEqual(shown);
    expect(reading.body?.replaceAll(/[\ue000\ue001]/g, '')).toBe(expected);
    expect(JSON.stringify(reading)).not.toContain('KEY-9');
  });

  test.each<[string, string, string]>([
    ['is given', '', '{"MaxItems": 7}'],
    ['the script sets', 'N=9\n', '{"MaxItems": 7}'],
  ])('a variable that %s has its given value', (_, before, body) => {
    const command = `${before}curl "${URL_TEXT}" -d "{\\"MaxItems\\": $N}"`;
    expect(readCurlCommand(command, { N: '7' })).toEqual({ ok: true, call: CALL, body });
  });

  test.each<[string, string]>([
    ['once', 'N=9'],
    ['by export', 'export N=9 M'],
    ['by another variable', `M='9'; N="$M"`],
  ])('a variable that the script sets %s is known', (_, before) => {
    const command = `${before.replace(' M', ' M=1')}\ncurl '${URL_TEXT}' -d "{\\"MaxItems\\": $N}"`;
    expect(readCurlCommand(command)).toEqual({ ok: true, call: CALL, body: '{"MaxItems": 9}' });
  });

  test.each<[string, string]>([
    ['twice', 'N=9; N=8\n'],
    ['for another command alone', 'N=9 env\n'],
    ['by a command', 'N=$(date +%d)\n'],
  ])('a variable that the script sets %s is not known', (_, before) => {
    const reading = readCurlCommand(`${before}curl '${URL_TEXT}' -d "{\\"MaxItems\\": $N}"`);
    expect(reading).toMatchObject({ ok: true, unknown: [{ marker: '\ue0000\ue001' }] });
  });

  test('variables that repeat each other make no endless text', () => {
    const lines = Array.from({ length: 40 }, (_, n) => `A${n + 1}="$A${n}$A${n}"`);
    const reading = readCurlCommand(`A0=xx\n${lines.join('\n')}\ncurl '${URL_TEXT}' -d "$A40"`);
    expect(JSON.stringify(reading).length).toBeLessThan(2_100_000);
  });

  test('whatever the text, it ends in a reading or a reason', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '\\',
      '$',
      "$'",
      '\n',
      ' ',
      'curl',
      '-d',
      '-',
      '{}',
      '@',
      '|',
      '&',
      '\\x4',
      '#',
      URL_TEXT,
      '`',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), pieces => {
        const reading = readCurlCommand(pieces.join(''));
        expect(typeof reading.ok).toBe('boolean');
      }),
    );
  });
});

describe('words of a shell command', () => {
  test('are those that the shell itself makes of it', () => {
    const part = fc.oneof(
      fc.stringMatching(/^'[^'\0]{0,5}'$/),
      fc.stringMatching(/^"([a-z {}:,']|\\["$\\`n]){0,5}"$/),
      fc.stringMatching(/^[a-zA-Z0-9_/.:,=@%+-]{1,5}$/),
      fc.stringMatching(/^\\[a-zA-Z'"\\ $&|]$/),
      fc.constantFrom(' ', '  ', '\t', ' \\\n'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const command = `x ${parts.join('')}`;
        const printed = execFileSync('sh', ['-c', `x() { printf '%s\\0' "$#" "$@"; }\n${command}`], {
          encoding: 'utf8',
        });
        const [count, ...words] = printed.split('\0').slice(0, -1);
        expect(textsOf(command)).toEqual([['x', ...(count === '0' ? [] : words)]]);
      }),
      { numRuns: runs(60) },
    );
  });

  test.each<[string, string]>([
    ["$'a\\tb\\n'", 'a\tb\n'],
    ["$'\\'\\\"\\\\\\?'", '\'"\\?'],
    ["$'\\x41\\101\\u00e9\\U0001F600'", 'AAé😀'],
    ["$'\\xc3\\xa9\\303\\251'", 'éé'],
    ["$'\\q'", '\\q'],
    ["$'\\u'", '\\u'],
    ['$"x"', 'x'],
    ["a'b'\"c\"\\d$'e'", 'abcde'],
  ])('%s is %j', (written, text) => {
    expect(shellCommands(written)).toEqual([[{ text, expansions: [] }]]);
  });

  test('what the shell would expand is marked', () => {
    const words = shellCommands('a$B "$C" \'$D\' \\$E "\\$F" `g` $\'$H\'')?.[0] ?? [];
    expect(words.map(({ expansions }) => expansions.length > 0)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  test.each(["a 'b", 'a "b', "a $'b\\'", 'a \\'])('%j is left open', command => {
    expect(shellCommands(command)).toBeUndefined();
  });

  test.each(['a b|c', 'a b; c', 'a b && c', 'a b & c', 'a b || c', '(a b)c', 'a b\nc', 'a b # x\n\nc'])(
    '%j is two commands',
    command => {
      expect(textsOf(command)).toEqual([['a', 'b'], ['c']]);
    },
  );

  test.each(['a b >c', 'a >c b', 'a 2>&1 b', 'a>c b', 'a b < c', 'a <<<c b', 'a b &>c', 'a b\n', 'a b &'])(
    '%j is a with b',
    command => {
      expect(textsOf(command)).toEqual([['a', 'b']]);
    },
  );
});

const textsOf = (command: string) => shellCommands(command)?.map(words => words.map(({ text }) => text));
