import { type GatectlError, type RequestFacts, UnusableAnswerError } from '../errors/index.ts';
import { classify, type Verdict } from '../gateway/classify.ts';
import { saidIn } from '../gateway/error-body.ts';
import type { FaultReader } from '../gateway/request.ts';

/** What an answer under status 200 without rows means: the API's own error where it is one. */
export function faultWithoutRows(body: string, request: RequestFacts, readFault: FaultReader): GatectlError {
  const verdict = judged(body, request, readFault);
  if (verdict.kind === 'failure') return verdict.error;
  return new UnusableAnswerError(`the answer holds no rows${saidIn(verdict.body)}`, {
    request,
    code: 'unusable',
  });
}

/** The API's own error beside rows; undefined where there is none. `members` are the answer's other members as JSON text. */
export function faultBesideRows(
  members: ReadonlyMap<string, string>,
  request: RequestFacts,
  readFault: FaultReader,
): GatectlError | undefined {
  if (members.size === 0) return undefined;
  const body = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join();
  const verdict = judged(`{${body}}`, request, readFault);
  return verdict.kind === 'failure' ? verdict.error : undefined;
}

function judged(text: string, request: RequestFacts, readFault: FaultReader): Verdict {
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, text };
  return classify(answer, request, readFault, shown => shown);
}
