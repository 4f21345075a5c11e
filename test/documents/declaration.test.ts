import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CUSTOM_REPORT, DATA_REQUEST, SEGMENT } from '../../src/documents/bda-v1.ts';
import { type Declaration, type Shape, unknownMembers } from '../../src/documents/declaration.ts';
import { type Json, type JsonRecord, parseJson, placeOf, stringifyJson } from '../../src/json/index.ts';
import { runs } from '../support/runs.ts';

const DOCUMENTS: readonly Declaration[] = [DATA_REQUEST, CUSTOM_REPORT, SEGMENT];

/** A document with all declared members, to any depth. */
function complete(shape: Shape): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case 'value':
      return fc.oneof(fc.string(), fc.constant(null), fc.constant({ any: [{ thing: 'goes' }] }));
    case 'list':
      return fc.array(complete(shape.of), { minLength: 1, maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.stringMatching(/^\d{1,3}$/), complete(shape.of), { minKeys: 1, maxKeys: 3 });
    case 'record':
      return fc.record(
        Object.fromEntries(Object.entries(shape.members).map(([name, of]) => [name, complete(of)])),
      ) as fc.Arbitrary<Json>;
  }
}

/** The paths of the objects of a document that declare members. */
function records(
  value: Json,
  shape: Shape,
  path: readonly (string | number)[] = [],
): (readonly (string | number)[])[] {
  if (shape.kind === 'value') return [];
  if (shape.kind === 'list')
    return (value as Json[]).flatMap((item, index) => records(item, shape.of, [...path, index]));
  const entries = Object.entries(value as JsonRecord);
  if (shape.kind === 'map')
    return entries.flatMap(([key, item]) => records(item as Json, shape.of, [...path, key]));
  const below = entries.flatMap(([key, item]) =>
    records(item as Json, shape.members[key] as Shape, [...path, key]),
  );
  return [path, ...below];
}

function withMember(value: Json, path: readonly (string | number)[], name: string): Json {
  const [first, ...rest] = path;
  if (first === undefined) return { ...(value as JsonRecord), [name]: 1 };
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? withMember(item, rest, name) : item));
  const record = value as JsonRecord;
  return { ...record, [first]: withMember(record[first] as Json, rest, name) };
}

test('a document of declared members has none that is unknown; one more, anywhere, is found at its place', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...DOCUMENTS).chain(shape => complete(shape).map(document => ({ shape, document }))),
      fc.nat(),
      fc.stringMatching(/^[A-Za-z"\\{[\n,: ]{1,12}$/).filter(name => name !== '__proto__'),
      fc.constantFrom(0, 2),
      ({ shape, document }, which, added, indent) => {
        expect(unknownMembers(document, shape)).toEqual([]);
        const places = records(document, shape);
        const path = places[which % places.length] ?? [];
        const name = `x${added}`;
        const changed = withMember(document, path, name);
        const found = unknownMembers(changed, shape);
        expect(found.map(member => member.path)).toEqual([[...path, name]]);
        expect(unknownMembers(changed, shape, [name])).toEqual([]);
        const text = JSON.stringify(changed, undefined, indent);
        const { offset, line, column } = placeOf(text, [...path, name]);
        expect(text.slice(offset)).toMatch(/^"x/);
        expect(JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(text.slice(offset))?.[0] ?? '')).toBe(name);
        expect(text.split('\n')[line - 1]?.slice(column - 1)).toBe(text.slice(offset).split('\n')[0]);
        expect(stringifyJson(parseJson(text))).toBe(stringifyJson(parseJson(JSON.stringify(changed))));
      },
    ),
    { numRuns: runs(200) },
  );
});

test.each([
  ['SegmentMultifilters', SEGMENT, 'SegmentMultiFilters'],
  ['DomainID', DATA_REQUEST, 'DomainId'],
  ['filters', DATA_REQUEST, 'Filters'],
  ['platform', DATA_REQUEST, 'Platform'],
  ['maxitems', DATA_REQUEST, 'MaxItems'],
  ['Title', CUSTOM_REPORT, 'ReportTitle'],
])('%s names the member that was meant', (name, shape, meant) => {
  expect(unknownMembers({ [name]: 1 }, shape)[0]?.message).toContain(`; did you mean "${meant}"?`);
});
