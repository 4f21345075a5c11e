import { type GatectlError, InvalidResponseError, type RequestInfo } from '../errors/index.ts';
import { classify, type Verdict } from '../http/classify.ts';
import { saidIn } from '../http/error-body.ts';
import type { ErrorReader } from '../http/request.ts';

/** The error for a response with status 200 but no rows: the API's own error if it has one. */
export function responseErrorWithoutRows(
  body: string,
  request: RequestInfo,
  readError: ErrorReader,
): GatectlError {
  const verdict = judged(body, request, readError);
  if (verdict.kind === 'failure') return verdict.error;
  return new InvalidResponseError(`no rows in the response${saidIn(verdict.body)}`, {
    request,
    code: 'unexpected_shape',
  });
}

/** The API's own error in a response with rows; undefined if there is none. `members` are its other members as JSON text. */
export function faultBesideRows(
  members: ReadonlyMap<string, string>,
  request: RequestInfo,
  readError: ErrorReader,
): GatectlError | undefined {
  if (members.size === 0) return undefined;
  const body = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join();
  const verdict = judged(`{${body}}`, request, readError);
  return verdict.kind === 'failure' ? verdict.error : undefined;
}

function judged(text: string, request: RequestInfo, readError: ErrorReader): Verdict {
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, text };
  return classify(answer, request, readError, shown => shown);
}
