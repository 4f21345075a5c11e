import { shellQuote, shellQuoteExpanding } from '../terminal/shell-words.ts';
import { type GatewayRequest, wireRequest } from './request.ts';

/** Shell variable that stands for the API key in printed commands. */
export const KEY_VARIABLE = 'GATECTL_API_KEY';

/**
 * The `curl` command that sends the same request, with `$GATECTL_API_KEY` in the key's place. Values of
 * `hiddenHeaders` (name to variable) are replaced by shell variables too.
 */
export function curlCommand(
  request: GatewayRequest,
  baseUrl: URL,
  hiddenHeaders: Readonly<Record<string, string>> = {},
): string {
  const placeholder = 'KEYPLACEHOLDER';
  const wire = wireRequest(request, baseUrl, placeholder);
  const words = ['curl'];
  if (wire.method !== 'GET') words.push('-X', wire.method);
  words.push(expanding(wire.url.href.replace(placeholder, `$${KEY_VARIABLE}`), [KEY_VARIABLE]));
  const lines = [words.join(' ')];
  for (const [name, value] of Object.entries(wire.headers)) {
    const variable = value === placeholder ? KEY_VARIABLE : hiddenHeaders[name];
    const shown = variable === undefined ? value : `$${variable}`;
    lines.push(`-H ${expanding(`${name}: ${shown}`, variable === undefined ? [] : [variable])}`);
  }
  if (wire.body !== undefined) lines.push(`--data-binary ${shellQuote(wire.body)}`);
  return lines.join(' \\\n  ');
}

function expanding(text: string, variables: readonly string[]): string {
  return variables.some(name => text.includes(`$${name}`))
    ? shellQuoteExpanding(text, variables)
    : shellQuote(text);
}
