import type { Checked } from './values.ts';

const LENGTH_LIMIT = 4096;

/** An API key as it may be sent: visible ASCII characters, blanks around it dropped. Neither problem nor hint repeats any of it. */
export function checkKey(text: string): Checked<string> {
  const value = text.replace(/^\uFEFF/, '').trim();
  const hint = 'copy the key again from the account dashboard';
  if (value === '') return { problem: 'is empty', hint };
  if (value.length > LENGTH_LIMIT) return { problem: `is longer than ${LENGTH_LIMIT} characters`, hint };
  if (/\s/.test(value)) return { problem: 'has a blank or a line break inside', hint };
  if (!/^[\x21-\x7e]+$/.test(value)) return { problem: 'has a character that no key can have', hint };
  return { value };
}

/** The key in the first line of a text. */
export function checkFirstLine(text: string): Checked<string> {
  return checkKey(text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)[0] ?? '');
}

/**
 * The key in what a helper printed: its first line, or a JSON object with the key as `apiKey` (also `ApiKey`, `api_key`,
 * `api-key`).
 */
export function checkHelperOutput(text: string): Checked<string> {
  if (!text.trimStart().startsWith('{')) return checkFirstLine(text);
  const hint = 'let it print the key alone, or {"apiKey": "…"}';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'is broken JSON', hint };
  }
  const members = Object.entries(json as Record<string, unknown>);
  const found = members.find(([name]) => name.toLowerCase().replace(/[_-]/g, '') === 'apikey')?.[1];
  return typeof found === 'string' ? checkKey(found) : { problem: 'is JSON without a string apiKey', hint };
}
