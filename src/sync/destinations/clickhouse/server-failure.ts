import { DestinationError } from '../../../errors/index.ts';
import { networkFailure } from '../../../http/network-errors.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import { shortened } from '../../../text/shortened.ts';
import { loginRejected, rightMissing, statementFailed, unreachable, unusable } from '../failures.ts';
import type { ClickHouseAddress } from './address.ts';
import { nameInSql } from './statements.ts';

/** Codes of errors of the server. */
const CODE = {
  tablesDiffer: 122,
  noTable: 60,
  tableExists: 57,
  noDatabase: 81,
  tooManySimultaneous: 202,
  full: 243,
  tooManyParts: 252,
  quota: 201,
} as const;
const LOGIN = [192, 193, 194, 516];
const RIGHTS = { readOnly: 164, databaseDenied: 291, statementDenied: 392, rightMissing: 497 };
/** Servers, or replicas, that have not finished in time. */
const CONTINUED = [159, 341];
/** A table of a replica that has lost its keeper, and what keeper reports. */
const KEEPER_LOST = [242, 999];
/** What writing requires in a database. */
export const RIGHTS_NEEDED = ['SELECT', 'INSERT', 'ALTER', 'CREATE TABLE', 'DROP TABLE', 'TRUNCATE'];

/** The server closed the connection, or is starting. */
const LOST = ['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ECONNABORTED'];
const LOST_TEXT = /socket hang up|ECONNRESET|aborted/i;

/** The code of an error that a server reported; undefined for any other error. */
export function serverCode(error: unknown): number | undefined {
  const cause = error instanceof DestinationError ? error.cause : error;
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as { code?: unknown };
  if (typeof code === 'string' && /^\d+$/.test(code)) return Number(code);
  const [, text] = /Code: (\d+)/.exec(cause.message) ?? [];
  return text === undefined ? undefined : Number(text);
}

/** Whether a table has other columns than expected. */
export function isOtherStructure(error: unknown): boolean {
  return serverCode(error) === CODE.tablesDiffer;
}

export function isTableMissing(error: unknown): boolean {
  return serverCode(error) === CODE.noTable;
}

export function isTableThere(error: unknown): boolean {
  return serverCode(error) === CODE.tableExists;
}

/** Whether some servers of a cluster run a statement later: those that are down, or slow. */
export function isContinued(error: unknown): boolean {
  return CONTINUED.includes(serverCode(error) ?? 0);
}

/** Whether a replica cannot be reached, or cannot reach its keeper. Another replica may do the same. */
export function isReplicaDown(error: unknown): error is DestinationError {
  if (!(error instanceof DestinationError)) return false;
  return error.code === 'destination_unreachable' || KEEPER_LOST.includes(serverCode(error) ?? 0);
}

/** Whether the same statement may succeed soon. */
export function isTransient(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return (
    LOST.includes(code ?? '') || LOST_TEXT.test(message) || serverCode(error) === CODE.tooManySimultaneous
  );
}

/** Whether the connection was lost, so that the same rows can be sent again. */
export function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof DestinationError && error.code === 'destination_unreachable' && isTransient(error.cause)
  );
}

/** The error for what went wrong at a server. Contains no password. */
export function failureOf(
  error: unknown,
  server: string,
  { user, database, isSecure, name }: Pick<ClickHouseAddress, 'user' | 'database' | 'isSecure' | 'name'>,
): DestinationError {
  if (error instanceof DestinationError) return error;
  const code = serverCode(error);
  const facts = { cause: error };
  const message = error instanceof Error ? error.message : String(error);
  if (code === undefined) {
    const { hint, text } = connectionProblem(error, message, server, isSecure, name);
    return unreachable(`cannot reach ClickHouse at ${server}: ${text}`, { ...facts, hints: hint });
  }
  const said = messageOf(message);
  const [kind, problem, hint] = problemOf(code, user, database);
  const end = code === CODE.noDatabase ? '' : `: ${said}`;
  return kind(`ClickHouse at ${server} ${problem}${end}`, {
    ...facts,
    hints: hint === undefined ? [] : [hint],
  });
}

type Problem = readonly [kind: typeof unusable, problem: string, hint?: string];

/** What an error of the server means, and what to do. */
function problemOf(code: number, user: string, database: string): Problem {
  if (LOGIN.includes(code)) {
    const hint = 'set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, as for clickhouse-client';
    return [loginRejected, `rejected the user ${user}`, hint];
  }
  if (Object.values(RIGHTS).includes(code))
    return [rightMissing, `does not let ${user} do this`, rightsHint(code, user, database)];
  switch (code) {
    case CODE.noDatabase: {
      const statement = shellQuote(`CREATE DATABASE ${nameInSql(database)}`);
      return [unusable, `has no database ${database}`, `create it: clickhouse-client --query ${statement}`];
    }
    case CODE.full:
      return [statementFailed, 'has no space left', 'free some space on the server, and run it again'];
    case CODE.tooManyParts: {
      const hint =
        'use partition: month, fewer sites in a table, or a cluster (gatectl docs sync#clickhouse)';
      return [statementFailed, 'has too many parts', hint];
    }
    case CODE.quota: {
      const hint = `run it again after that, or give ${user} a larger quota`;
      return [statementFailed, `has exhausted the quota of ${user}`, hint];
    }
  }
  return [statementFailed, 'failed'];
}

function rightsHint(code: number, user: string, database: string): string {
  if (code === RIGHTS.readOnly) return `give ${user} a settings profile with readonly = 0`;
  if (code === RIGHTS.statementDenied) return `give ${user} a settings profile with allow_ddl = 1`;
  if (code === RIGHTS.databaseDenied) return `add ${database} to allow_databases of ${user} in users.xml`;
  return `grant it: GRANT ${RIGHTS_NEEDED.join(', ')} ON ${nameInSql(database)}.* TO ${nameInSql(user)}`;
}

/** What the server said, in one line, without its stack of details. */
function messageOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const [, said = line] = /DB::Exception: (.*)$/.exec(line) ?? [];
  const short = said
    .replace(/,? e\.what\(\) = .*$/, '')
    .replace(/ \(version [^)]*\)+$/, '')
    .replace(/\.$/, '');
  return shortened(short, 300);
}

function connectionProblem(
  error: unknown,
  message: string,
  server: string,
  isSecure: boolean,
  name: string,
): { readonly text: string; readonly hint: readonly string[] } {
  const [, httpPort] = /You must use port (\d+) for HTTP/.exec(message) ?? [];
  if (/is for clickhouse-client program/.test(message) || /\bHPE_|Parse Error/.test(message))
    return {
      text: 'the port is not that of its HTTP interface',
      hint: [`name the HTTP port: ${httpPort ?? (isSecure ? '8443' : '8123, or 8443 with clickhouses://')}`],
    };
  if (/wrong version number|EPROTO|packet length too long/.test(message))
    return {
      text: 'the port does not use TLS',
      hint: [`without TLS: ${name.replace(/^clickhouses:/, 'clickhouse:')}`],
    };
  const { error: failure } = networkFailure(error, { method: 'POST', path: '/', origin: `http://${server}` });
  if (failure.code === 'tls_failed')
    return {
      text: failure.message,
      hint: ['if a private certificate authority signed the certificate, trust it: NODE_EXTRA_CA_CERTS=FILE'],
    };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return {
      text: 'it did not respond in time',
      hint: [
        isSecure
          ? `if the port does not use TLS: ${name.replace(/^clickhouses:/, 'clickhouse:')}`
          : 'if the server expects TLS, use clickhouses://',
      ],
    };
  if (LOST_TEXT.test(message) && !isSecure)
    return {
      text: 'the connection was closed before the response was complete',
      hint: ['if the server expects TLS, use clickhouses://'],
    };
  return {
    text: failure.message.replace(/^the request failed: /, ''),
    hint: [
      failure.code === 'connection_refused'
        ? 'check that the server runs, and its HTTP port'
        : 'check the host and the HTTP port in the destination',
    ],
  };
}
