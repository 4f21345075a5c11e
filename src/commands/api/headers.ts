import { UsageError } from '../../errors/index.ts';
import { brandNames } from '../../wire/brand.ts';
import { API_KEY_HEADER } from '../../wire/key.ts';
import type { Context } from '../framework/context.ts';

/** Headers that say how bytes travel, which is not for a caller to say. */
const OF_THE_CONNECTION = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that are sent anyway; another value takes their place. */
const OWN = ['Accept', 'Content-Type'];

/** Reads `-H 'Name: value'`. Values may say who a reader is, so they show nowhere. Throws UsageError. */
export async function headersFrom(
  given: readonly string[],
  context: Context,
): Promise<Readonly<Record<string, string>>> {
  if (given.length === 0) return {};
  const { brand } = await context.settings();
  const { readerEmailHeader, readerTokenHeader } = brandNames(brand.value);
  const spellings = [...OWN, readerEmailHeader, readerTokenHeader];
  const headers: Record<string, string> = {};
  for (const text of given) {
    const [, typed = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*?)\s*$/s.exec(text) ?? [];
    if (typed === '')
      throw new UsageError(`-H ${text} is no header`, {
        code: 'invalid_value',
        hints: ["type -H 'Name: value'"],
      });
    checkHeader(typed, value);
    const name = spellings.find(known => known.toLowerCase() === typed.toLowerCase()) ?? typed;
    if (!OWN.includes(name)) context.redactor.add(value);
    headers[name] = value;
  }
  return headers;
}

function checkHeader(name: string, value: string): void {
  if (name.toLowerCase() === API_KEY_HEADER.toLowerCase()) {
    throw new UsageError(`${API_KEY_HEADER} is not given on the command line, where others can see it`, {
      code: 'key_on_command_line',
      hints: ['leave it out: gatectl puts the key where the API of this path wants it'],
    });
  }
  if (OF_THE_CONNECTION.includes(name.toLowerCase()))
    throw new UsageError(`the header ${name} can't be set`, {
      code: 'invalid_value',
      hints: ['leave it out'],
    });
  if (/[\r\n\0]/.test(value))
    throw new UsageError(`the header ${name} has a line break in it`, { code: 'invalid_value' });
}
