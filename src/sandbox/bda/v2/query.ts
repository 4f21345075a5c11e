import { setImmediate } from 'node:timers/promises';
import type { SandboxReply, SandboxRequest } from '../../routing.ts';
import { bulkChunks } from '../bulk/rows.ts';
import { daysWithData } from '../days.ts';
import { normalizeSeed } from '../facts/open.ts';
import { readJson } from '../json.ts';
import { documentChunks, encodedRows, streamedJson } from '../query-engine/encode.ts';
import { type RowQuery, runQuery } from '../query-engine/run-query.ts';
import { type Analytics, type BdaState, ownerOf } from '../state.ts';
import { type Detail, errorReply } from './errors.ts';
import { createQueryLimiter, DEFAULT_LIMITS } from './limits.ts';
import { type ReadQuery, readQuery } from './read-query.ts';

/**
 * Turns of the event loop to wait before a query runs. A query blocks the event loop, and each turn accepts at most one
 * connection: without the wait, concurrent queries would run one by one and never exceed the concurrency limit.
 */
const TURNS_BEFORE_WORK = 64;

function invalid(details: Detail[]): SandboxReply {
  const fields = details.length === 1 ? '1 invalid field' : `${details.length} invalid fields`;
  return errorReply('validation_error', `the query has ${fields}`, { details });
}

async function factChunks(rowQuery: RowQuery, analytics: Analytics): Promise<Iterable<Uint8Array>> {
  const { rows, total } = runQuery(await analytics.facts(), rowQuery);
  return documentChunks('{"rows":[', encodedRows(rows, rowQuery), `],"total_rows":${total}}`);
}

/** Handles `POST /query`: checks the limits, then the fields, then whether the account owns the site. */
export function queryHandler(
  state: BdaState,
  analytics: Analytics,
): (request: SandboxRequest) => Promise<SandboxReply> {
  const { account, brand, now } = state;
  const admit = createQueryLimiter({ ...DEFAULT_LIMITS, ...state.limits }, state.rateNow ?? now);
  const seed = normalizeSeed(state.seed);

  async function chunks(read: ReadQuery): Promise<Iterable<Uint8Array>> {
    const { dataSet, rowQuery } = read;
    if (dataSet !== 'bulk') return factChunks(rowQuery, analytics);
    const available = daysWithData(analytics.today());
    return bulkChunks(
      {
        columns: [...rowQuery.dimensions, ...rowQuery.metrics],
        days: {
          first: Math.max(available.first, rowQuery.days.first),
          last: Math.min(available.last, rowQuery.days.last),
        },
        conditions: rowQuery.parts.flatMap(part => part.conditions),
        offset: rowQuery.offset,
        limit: rowQuery.limit,
      },
      account.domains.map(({ domain }) => domain),
      seed,
    );
  }

  function rejectionOf(read: ReadQuery): SandboxReply | undefined {
    const { dataSet, rowQuery } = read;
    const details = dataSet === 'bulk' ? bulkProblems(rowQuery) : [];
    if (details.length > 0) return invalid(details);
    if (rowQuery.domainId === undefined) return undefined;
    switch (ownerOf(account, rowQuery.domainId)) {
      case 'foreign':
        return errorReply('forbidden', `domain ${rowQuery.domainId} belongs to another account`);
      case 'unknown':
        return errorReply('not_found', `there is no domain ${rowQuery.domainId}`);
      default:
        return undefined;
    }
  }

  return async request => {
    const entry = admit();
    if ('rejected' in entry) {
      const message =
        entry.rejected === 'rate_limit_exceeded'
          ? 'too many queries in a minute'
          : 'too many queries at once';
      return errorReply(entry.rejected, message, { headers: { 'retry-after': String(entry.retryAfter) } });
    }
    let isOpen = true;
    try {
      for (let turn = 0; turn < TURNS_BEFORE_WORK; turn += 1) await setImmediate();
      const body = readJson(request.body);
      const read = body
        ? readQuery(body.value, brand)
        : { details: [{ field: 'body', message: 'is not JSON, or contains a field twice' }] };
      if ('details' in read) return invalid(read.details);
      const rejected = rejectionOf(read);
      if (rejected) return rejected;
      const answer = streamedJson(await chunks(read), entry.release);
      isOpen = false;
      return answer;
    } finally {
      if (isOpen) entry.release();
    }
  };
}

/**
 * Problems of a query for the bulk data set: its rows are generated, neither grouped nor sorted, so a query requires `row_id`,
 * and the rows are in the order of `row_id`.
 */
function bulkProblems(rowQuery: RowQuery): Detail[] {
  const details: Detail[] = [];
  if (!rowQuery.dimensions.some(column => column.name === 'row_id')) {
    details.push({ field: 'dimensions', message: "data set 'bulk' requires the dimension 'row_id'" });
  }
  if (rowQuery.domainId !== undefined) {
    details.push({ field: 'domain_id', message: "data set 'bulk' covers all sites" });
  }
  if (rowQuery.platform !== undefined) {
    details.push({ field: 'platform', message: "data set 'bulk' covers all platforms" });
  }
  const { queryParams, fragments, lowerCase } = rowQuery.url;
  if (!queryParams || !fragments || lowerCase) {
    details.push({ field: 'url_options', message: "data set 'bulk' does not support url_options" });
  }
  for (const [index, { column, descending }] of rowQuery.order.entries()) {
    if (descending || !['report_day', 'row_id'].includes(column.name)) {
      details.push({
        field: `sort[${index}]`,
        message: "data set 'bulk' is sorted by row_id ascending, or by report_day and row_id",
      });
      break;
    }
    if (column.name === 'row_id') break;
  }
  return details;
}
