import { type GatectlError, type RequestFacts, UnusableAnswerError } from '../errors/index.ts';
import { classify } from '../gateway/classify.ts';
import type { FaultReader } from '../gateway/request.ts';

/** What an answer under status 200 without rows means: the API's own error envelope where it is one. */
export function faultWithoutRows(body: string, request: RequestFacts, readFault: FaultReader): GatectlError {
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, text: body };
  const verdict = classify(answer, request, readFault, text => text);
  if (verdict.kind === 'failure') return verdict.error;
  return new UnusableAnswerError('the answer holds no rows', { request, code: 'unusable' });
}
