import { InvalidJsonError, type Json, parseJson, stringifyJson } from '../../../src/json/index.ts';
import { expecting, type FuzzTarget, fail } from './target.ts';

const JSON_TEXTS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"a":',
  'null',
  'true',
  'false',
  '-0',
  '1e400',
  '"\\u00',
  '"\\ud83d\\ude00"',
];

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The JSON reader accepts what `JSON.parse` accepts, but for bounds and repeated keys, and writes what it has read. */
export const target: FuzzTarget = {
  dictionary: [...JSON_TEXTS, '12345678901234567890', '"__proto__":', '\ufeff'],
  run(input) {
    const text = Buffer.from(input).toString();
    let value: Json = null;
    const broken = expecting([InvalidJsonError], () => {
      value = parseJson(text);
    });
    const isJson = accepts(text.replace(/^\ufeff/, ''));
    if (broken === undefined) {
      if (!isJson) fail('accepts what is not JSON');
      const written = stringifyJson(value);
      if (stringifyJson(parseJson(written)) !== written) fail('does not read what it has written');
    } else if (isJson && ['syntax', 'cut', 'empty'].includes(broken.reason)) {
      fail(`rejects JSON: ${broken.reason}`);
    }
  },
};
