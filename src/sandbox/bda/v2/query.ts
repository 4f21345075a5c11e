import { setImmediate } from 'node:timers/promises';
import type { SandboxReply, SandboxRequest } from '../../routing.ts';
import { bulkRefusals } from '../bulk/refuse.ts';
import { bulkChunks } from '../bulk/rows.ts';
import { daysWithData } from '../days.ts';
import { wholeSeed } from '../facts/open.ts';
import { readJson } from '../json.ts';
import { ask, type RowQuery } from '../query-engine/ask.ts';
import { documentChunks, encodedRows } from '../query-engine/encode.ts';
import { type Analytics, type BdaState, ownership } from '../state.ts';
import { streamedJson } from '../stream.ts';
import { type Detail, errorReply } from './errors.ts';
import { DEFAULT_LIMITS, queryGate } from './limits.ts';
import { type ReadQuery, readQuery } from './read-query.ts';

/**
 * Turns of the event loop that a query waits for. Work on it blocks the loop, and each turn takes in one new
 * connection at most: without the wait, queries that come together would be worked on one by one, and never be too
 * many at once.
 */
const TURNS_BEFORE_WORK = 64;

function invalid(details: Detail[]): SandboxReply {
  const fields = details.length === 1 ? '1 field is' : `${details.length} fields are`;
  return errorReply('validation_error', `the query is not valid: ${fields} wrong`, { details });
}

async function factChunks(rowQuery: RowQuery, analytics: Analytics): Promise<Iterable<Uint8Array>> {
  const { rows, total } = ask(await analytics.facts(), rowQuery);
  return documentChunks('{"rows":[', encodedRows(rows, rowQuery), `],"total_rows":${total}}`);
}

/** Answers `POST /query`: limits first, then the query's fields, then whose site it asks about. */
export function queryAnswer(
  state: BdaState,
  analytics: Analytics,
): (request: SandboxRequest) => Promise<SandboxReply> {
  const { account, brand, now } = state;
  const enter = queryGate({ ...DEFAULT_LIMITS, ...state.limits }, now);
  const seed = wholeSeed(state.seed);

  async function chunks(read: ReadQuery): Promise<Iterable<Uint8Array>> {
    const { dataSet, rowQuery } = read;
    if (dataSet !== 'bulk') return factChunks(rowQuery, analytics);
    const held = daysWithData(analytics.today());
    return bulkChunks(
      {
        columns: [...rowQuery.dimensions, ...rowQuery.metrics],
        days: {
          first: Math.max(held.first, rowQuery.days.first),
          last: Math.min(held.last, rowQuery.days.last),
        },
        conditions: rowQuery.parts.flatMap(part => part.conditions),
        offset: rowQuery.offset,
        limit: rowQuery.limit,
      },
      account.domains.map(({ domain }) => domain),
      seed,
    );
  }

  function refusal(read: ReadQuery): SandboxReply | undefined {
    const { dataSet, rowQuery } = read;
    const details = dataSet === 'bulk' ? bulkRefusals(rowQuery) : [];
    if (details.length > 0) return invalid(details);
    if (rowQuery.domainId === undefined) return undefined;
    switch (ownership(account, rowQuery.domainId)) {
      case 'foreign':
        return errorReply('forbidden', `domain ${rowQuery.domainId} belongs to another account`);
      case 'unknown':
        return errorReply('not_found', `there is no domain ${rowQuery.domainId}`);
      default:
        return undefined;
    }
  }

  return async request => {
    const entry = enter();
    if ('refused' in entry) {
      const message =
        entry.refused === 'rate_limit_exceeded' ? 'too many queries in a minute' : 'too many queries at once';
      return errorReply(entry.refused, message, { headers: { 'retry-after': String(entry.retryAfter) } });
    }
    let held = true;
    try {
      for (let turn = 0; turn < TURNS_BEFORE_WORK; turn += 1) await setImmediate();
      const body = readJson(request.body);
      const read = body
        ? readQuery(body.value, brand)
        : { details: [{ field: 'body', message: 'is not JSON, or names a field twice' }] };
      if ('details' in read) return invalid(read.details);
      const refused = refusal(read);
      if (refused) return refused;
      const answer = streamedJson(await chunks(read), entry.release);
      held = false;
      return answer;
    } finally {
      if (held) entry.release();
    }
  };
}
