import { API_KEY_HEADER, API_KEY_PARAMETER, EMPTY_KEY_BODY } from '../wire/key.ts';
import { Refusal } from './refusal.ts';
import { type KeyPlace, plainText, type SandboxReply, type SandboxRequest } from './routing.ts';

/**
 * Checks the API key (spec, Authentication). Answers the plain-text 503 when no key was seen at all, nothing
 * when the key is the account's. The header wins where both places are open and both are filled.
 *
 * @throws Refusal 401 for another key, and for a key in the query where only the header is open.
 */
export function refuseKey(
  request: SandboxRequest,
  place: KeyPlace,
  apiKey: string,
): SandboxReply | undefined {
  const inHeader = place === 'query' ? '' : (request.headers[API_KEY_HEADER.toLowerCase()] ?? '').trim();
  const inQuery = request.query.get(API_KEY_PARAMETER) ?? '';
  if (place === 'header' && request.query.has(API_KEY_PARAMETER)) {
    throw new Refusal(
      401,
      `the ${API_KEY_PARAMETER} parameter is not accepted here: send the key in the ${API_KEY_HEADER} header`,
    );
  }
  const key = inHeader || (place === 'header' ? '' : inQuery);
  if (key === '') return plainText(503, EMPTY_KEY_BODY);
  if (key !== apiKey) throw new Refusal(401, 'the API key is not valid');
  return undefined;
}
