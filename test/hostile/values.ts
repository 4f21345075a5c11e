/** Values that break programs which join texts: names of every object, formulas, controls, directions, escapes, markup, long texts. */
export const HARD_VALUES: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'],
  ...['null', 'undefined', 'NaN', 'Infinity', 'true', 'None', '0', '-0', '1e309', '0x1F', '00123', '1,234.5'],
  ...['\ufeffmark', 'line\u2028separator', 'paragraph\u2029separator', 'lone\ud800high', 'lone\udc00low'],
  ...[
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '=cmd|"/C calc"!A0',
    '\u001b[31mred\u001b[0m',
    '\u0007bell',
    'null\u0000byte',
  ],
  ...[
    '\u202eright to left',
    'zero\u200bwidth',
    'مرحبا',
    '日本語',
    '👩‍👩‍👧‍👦',
    'e\u0301',
    '\u0085next line',
    '\uffff\ufffe',
  ],
  ...[
    '<script>alert(1)</script>',
    '</svg><img src=x onerror=alert(1)>',
    '"><svg onload="alert(1)">',
    ']]>',
    '<!--',
    '&lt;&amp;',
  ],
  ...[
    "' OR 1=1 --",
    '";DROP TABLE x',
    '`id`',
    '$(id)',
    '%s%n',
    '../../etc/passwd',
    'a\\b',
    '_x0041_',
    '{{7*7}}',
  ],
  ...[
    'first\nsecond',
    'carriage\rreturn',
    'tab\there',
    '"quoted", and more',
    '| pipe | *star* _under_ [link](x)',
    'x'.repeat(2000),
  ],
];

/** As many neutral values. */
export const NEUTRAL_VALUES: readonly string[] = HARD_VALUES.map(
  (_, index) => `word${String(index).padStart(2, '0')}`,
);

/** The texts in which each neutral value is replaced by what `shown` makes of the hard one. */
export function renamed(text: string, shown: (value: string) => string): string {
  return text.replaceAll(/word(\d\d)/g, (_, index) => shown(HARD_VALUES[Number(index)] ?? ''));
}

/** `npm run test:properties` begins with other values in each run. */
const SEED = Number(process.env.PROPERTY_SEED ?? 0);

/** Decisions, types, units and times, which have a meaning. */
const MEANINGFUL =
  /^(?:[\d:.,TZ+-]+|allowed|denied|login_required|expired|revoked|unknown_product|string|text|integer|decimal|number|date|datetime|boolean|count|percent|currency|seconds|USD|EUR|ok|pong|active|canceled|dimension|metric)$/i;
/** Names by which requests select: columns, data sets, sites. */
const SELECTING = /^(?!eyJ)[a-z][\w.-]*$/;

/**
 * Rewrites a response: each text becomes one of the values, the same one for the same text. Names that requests select by, and those of
 * members, stay unless `withNames`. `start` chooses the first value.
 */
export function rewriterTo(
  values: readonly string[],
  withNames: boolean,
  start: number,
): (json: string) => string {
  const known = new Map<string, number>();
  return json =>
    json.replaceAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (token, colon: string | undefined) => {
      if (colon !== undefined) return token;
      const text: string = JSON.parse(token);
      if (text === '' || MEANINGFUL.test(text) || (!withNames && SELECTING.test(text))) return token;
      const index = known.get(text) ?? known.size;
      known.set(text, index);
      return JSON.stringify(values[(index + 5 * start + SEED) % values.length]);
    });
}
