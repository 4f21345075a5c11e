import { splitShellWords } from '../text/shell-words.ts';
import type { CheckedValue } from './values.ts';

const LENGTH_LIMIT = 4096;

/** A valid API key: printable ASCII without blanks, after trimming. Neither problem nor hint contains any part of it. */
export function checkKey(text: string): CheckedValue<string> {
  const value = text.replace(/^\uFEFF/, '').trim();
  const hint = 'copy the key again from the account dashboard';
  if (value === '') return { problem: 'is empty', hint };
  if (value.length > LENGTH_LIMIT) return { problem: `is longer than ${LENGTH_LIMIT} characters`, hint };
  if (/\s/.test(value)) return { problem: 'contains a blank or a line break', hint };
  if (!/^[\x21-\x7e]+$/.test(value))
    return { problem: 'contains a character that is not printable ASCII', hint };
  return { value };
}

/** The key in the first line of a text. */
export function checkFirstLine(text: string): CheckedValue<string> {
  return checkKey(text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '');
}

/**
 * The key in the output of a helper: its first line, or the field `apiKey` (also `ApiKey`, `api_key`, `api-key`) of a JSON object.
 */
export function checkHelperOutput(text: string): CheckedValue<string> {
  if (!text.trimStart().startsWith('{')) return checkFirstLine(text);
  const hint = 'make it print only the key, or {"apiKey": "…"}';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'is not valid JSON', hint };
  }
  const members = Object.entries(json as Record<string, unknown>);
  const found = members.find(([name]) => name.toLowerCase().replace(/[_-]/g, '') === 'apikey')?.[1];
  return typeof found === 'string' ? checkKey(found) : { problem: 'is JSON without a string apiKey', hint };
}

/**
 * The program and arguments of a key command that was typed as one text. It runs without a shell, so anything that only a shell
 * could interpret is rejected.
 */
export function checkKeyCommand(
  text: string,
  platform: NodeJS.Platform,
): CheckedValue<readonly [string, ...string[]]> {
  const { words, unclosed, special } = splitShellWords(text, platform);
  if (special !== undefined)
    return {
      problem: `contains ${special}, which only a shell interprets`,
      hint: 'put it in single quotes to use it literally, or put the command into a script',
    };
  if (unclosed !== undefined)
    return {
      problem: `has an unclosed quote or a backslash at its end: ${unclosed}`,
      hint: 'close the quote',
    };
  const [program, ...rest] = words;
  if (!program) return { problem: 'is empty', hint: "type a command, such as 'pass show gateway'" };
  if (program.startsWith('~'))
    return { problem: 'starts with ~, which only a shell interprets', hint: 'type the full path' };
  return { value: [program, ...rest] };
}
