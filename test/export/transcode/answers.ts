import fc from 'fast-check';

// Answers as servers write them, made as lists of tokens, so that the same answer can be had with any white space.

/** One answer, the rows in it by their text without white space, and the names its rows may have. */
export interface Answer {
  readonly body: string;
  readonly rows: readonly string[];
  readonly names: readonly string[];
}

type Tokens = readonly string[];

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));

/** Any number that JSON can write. */
export const numberToken: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0', '-0', '1.0E+3', '12345678901234567890', '0.12345678901234567890123', '1e400', '-1.50'),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(
        fc.constant('0'),
        digits(20).map(text => `7${text}`),
      ),
      fc.option(digits(23), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e-', 'E+'), digits(3)), { nil: undefined }),
    )
    .map(([sign, integer, fraction, exponent]) =>
      [sign, integer, fraction === undefined ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
    ),
);

const characters = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-zA-Z0-9/:.?&_-]{1,9}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(' ', ',', '=', '@', '+', "'", '\u007f', 'é', '漢字', '😀', '\ufeff', '＝'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\n', '\\r', '\\t', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\u0000', '\\u002C'),
  },
  { weight: 1, arbitrary: fc.constantFrom('\\u00e9', '\\u6f22', '\\uD83d\\ude00', '\\ud83d', '\\uDE00') },
);

/** Any string: plain, with escapes, beyond ASCII, with surrogates that are alone. */
export const stringToken: fc.Arbitrary<string> = fc
  .array(characters, { maxLength: 8 })
  .map(parts => `"${parts.join('')}"`);

export const scalarToken: fc.Arbitrary<string> = fc.oneof(
  numberToken,
  stringToken,
  fc.constantFrom('null', 'true', 'false', '""'),
);

const nested: fc.Arbitrary<Tokens> = fc.letrec<{ value: Tokens; list: Tokens; object: Tokens }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'nested' },
    scalarToken.map(token => [token]),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3, depthIdentifier: 'nested' }).map(list),
  object: fc
    .array(fc.tuple(stringToken, tie('value')), { maxLength: 3, depthIdentifier: 'nested' })
    .map(members => object(uniqueNames(members))),
})).object;

/** Two names may stand for the same text; readers that refuse that are of no use as a measure here. */
function uniqueNames(
  members: readonly (readonly [string, Tokens])[],
): readonly (readonly [string, Tokens])[] {
  return [
    ...new Map(members.map(([name, value]) => [JSON.parse(name) as string, [name, value] as const])).values(),
  ];
}

function list(items: readonly Tokens[]): Tokens {
  return ['[', ...items.flatMap((item, index) => (index === 0 ? item : [',', ...item])), ']'];
}

function object(members: readonly (readonly [string, Tokens])[]): Tokens {
  const texts = members.flatMap(([name, value], index) => [
    ...(index === 0 ? [] : [',']),
    name,
    ':',
    ...value,
  ]);
  return ['{', ...texts, '}'];
}

/** White space to be put before token after token, over and over. */
const blanks = fc.oneof(
  { weight: 3, arbitrary: fc.constant(['']) },
  { weight: 1, arbitrary: fc.constant(['', ' ']) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom('', '', ' ', '\n  ', '\t\r\n'), { minLength: 1, maxLength: 7 }),
  },
);

function write(tokens: Tokens, spaces: readonly string[]): string {
  return tokens.map((token, index) => (spaces[index % spaces.length] as string) + token).join('');
}

/** Any value, with any white space within it but none around it. */
export const valueText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: scalarToken },
  { weight: 1, arbitrary: fc.tuple(nested, blanks).map(([tokens, spaces]) => write(tokens, spaces).trim()) },
);

/** How a row departs from the usual: most do not. */
const departure = fc.oneof(
  { weight: 6, arbitrary: fc.constant('none' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('short', 'extra', 'turned', 'mixed', 'nested', 'escaped'),
  },
);

const columnNames = fc.uniqueArray(
  fc.constantFrom('day', 'url', 'a b', 'views', 'révenue', 'x', '"q"', '=f'),
  {
    minLength: 1,
    maxLength: 6,
  },
);

/** Answers whose rows are objects, alike for the most part. */
export const objectAnswer: fc.Arbitrary<Answer> = columnNames.chain(names => {
  const row = fc
    .tuple(
      fc.tuple(...names.map(() => scalarToken)),
      departure,
      fc.tuple(nested, scalarToken),
      fc.shuffledSubarray([...names.keys()], { minLength: names.length }),
    )
    .map(([values, kind, [object_, scalar], order]) => {
      const members: (readonly [string, Tokens])[] = names.map((name, index) => [
        JSON.stringify(name),
        [values[index] as string],
      ]);
      if (kind === 'short') members.pop();
      if (kind === 'extra') members.push(['"extra"', [scalar]]);
      if (kind === 'turned') members.reverse();
      if (kind === 'mixed')
        members.sort(([one], [other]) => placeIn(order, names, one) - placeIn(order, names, other));
      if (kind === 'nested') members[0] = [JSON.stringify(names[0]), object_];
      if (kind === 'escaped') members[0] = [`"${[...(names[0] as string)].map(escaped).join('')}"`, [scalar]];
      return object(members);
    });
  return fc
    .tuple(fc.array(row, { maxLength: 12 }), fc.boolean(), blanks, fc.constantFrom('', '\ufeff'), numberToken)
    .map(([rows, rowsFirst, spaces, mark, total]) => {
      const rowsMember = ['"rows"', list(rows)] as const;
      const totalMember = ['"total_rows"', [total]] as const;
      const root = object(rowsFirst ? [rowsMember, totalMember] : [totalMember, rowsMember]);
      return { body: mark + write(root, spaces), rows: rows.map(tokens => tokens.join('')), names };
    });
});

/** Answers whose rows are arrays. */
export const arrayAnswer: fc.Arbitrary<Answer> = columnNames.chain(names =>
  fc
    .tuple(
      fc.array(
        fc
          .array(
            fc.oneof(
              scalarToken.map(token => [token]),
              nested,
            ),
            { maxLength: 7 },
          )
          .map(list),
        {
          maxLength: 8,
        },
      ),
      blanks,
    )
    .map(([rows, spaces]) => ({
      body: write(list(rows), spaces),
      rows: rows.map(tokens => tokens.join('')),
      names,
    })),
);

/** Where a name, as JSON text, comes in an order of all names. */
function placeIn(order: readonly number[], names: readonly string[], text: string): number {
  return order.indexOf(names.indexOf(JSON.parse(text)));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
