import { type DestinationError, GatectlError } from '../../../errors/index.ts';
import { UnrepresentableValueError } from '../../../export/unrepresentable-value.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import { quoteName } from '../../../text/sql.ts';
import { endpointName } from '../endpoint.ts';
import { loginRejected, rightMissing, statementFailed, unreachable, unusable } from '../failures.ts';
import { isReadableByOthers } from './password-file.ts';
import type { PostgresSettings } from './settings.ts';

/** An error of the server (with a SQLSTATE), of the socket or of TLS (with a code of Node), or of pg. */
interface PgError extends Error {
  readonly code?: string;
  /** Where in a COPY it occurred. */
  readonly where?: string;
  /** Such as `rule _RETURN on view daily depends on column "revenue"`. */
  readonly detail?: string;
}

/** A character is not in the encoding of the database. */
const OTHER_ENCODING = '22P05';
const AGAIN = 'run it again: it continues where it stopped';
/** The server asked for a password, and there is none. */
export class NoPasswordError extends Error {}

/** The server without the user: `localhost:5432/analytics`, or the folder of a socket. */
export function placeOf({ host, port }: Pick<PostgresSettings, 'host' | 'port'>): string {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`;
  return endpointName({ host, port });
}

/** A name for a statement that a user may type: in quotes only if it needs them. */
export function nameInSql(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quoteName(name);
}

/** A server that replicates another one. */
export function readOnly(settings: PostgresSettings): DestinationError {
  return unusable(`PostgreSQL at ${placeOf(settings)} is read-only`, { hints: ['name the primary server'] });
}

/** A server on another machine that refuses TLS: it gets nothing unencrypted, a password least of all. */
export function withoutTls(settings: PostgresSettings): DestinationError {
  return unusable(`PostgreSQL at ${placeOf(settings)} does not support TLS`, {
    hints: [
      'enable it on the server (ssl = on)',
      'on a network of your own, do without it: set PGSSLMODE=prefer',
    ],
  });
}

/** The typed error for what pg threw. `isConnected`: whether the connection was established before. */
export function failureOf(error: unknown, settings: PostgresSettings, isConnected: boolean): GatectlError {
  if (error instanceof GatectlError) return error;
  const cause = error as PgError;
  const place = placeOf(settings);
  const state = cause.code ?? '';
  if (cause instanceof NoPasswordError) return passwordMissing(settings);
  if (/^[0-9A-Z]{5}$/.test(state) && !/^E[A-Z]{4}$/.test(state)) return ofServer(cause, state, settings);
  if (/does not support SSL/.test(cause.message))
    return unreachable(
      `PostgreSQL at ${place} does not support TLS, which sslmode=${settings.sslMode} requires`,
      {
        cause,
        hints: ['enable it on the server (ssl = on)'],
      },
    );
  if (/CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(state))
    return unreachable(`the certificate of PostgreSQL at ${place} is not trusted: ${cause.message}`, {
      cause,
      hints: [
        'name the certificate authority that signed it: add sslrootcert=FILE to the URL, or set PGSSLROOTCERT',
      ],
    });
  if (!isConnected)
    return unreachable(`cannot connect to PostgreSQL at ${place}: ${reasonOf(cause)}`, {
      cause,
      hints: ['check the host and the port; the server may be down'],
    });
  return unreachable(`the connection to PostgreSQL at ${place} was lost: ${reasonOf(cause)}`, {
    cause,
    hints: [AGAIN],
  });
}

function ofServer(cause: PgError, state: string, settings: PostgresSettings): GatectlError {
  const place = placeOf(settings);
  const { user, database, schema } = settings;
  const { message } = cause;
  switch (state) {
    case '28P01':
      return loginRejected(`PostgreSQL at ${place} rejected the password of the user ${user}`, {
        cause,
        hints: ['set PGPASSWORD, or correct the line in ~/.pgpass'],
      });
    case '28000':
      return loginRejected(`PostgreSQL at ${place} rejected the user ${user}: ${message}`, {
        cause,
        hints: ['set PGUSER, or name the user in the URL: postgres://USER@HOST/DATABASE'],
      });
    case '3D000':
      return unusable(`there is no database ${database} at ${place}`, {
        cause,
        hints: [`create it: createdb ${shellQuote(database)}; or name another one in the URL`],
      });
    case '42501':
      return rightMissing(`the user ${user} lacks a right in the database ${database}: ${message}`, {
        cause,
        hints: [
          /for table|must be owner/.test(message)
            ? `another user owns the tables; connect as that user, or run as a superuser: GRANT OWNER TO ${nameInSql(user)}`
            : `run as its owner: GRANT CREATE ON DATABASE ${nameInSql(database)} TO ${nameInSql(user)}; or GRANT USAGE, CREATE ON SCHEMA ${nameInSql(schema)} TO ${nameInSql(user)}`,
        ],
      });
    case '25006':
      return readOnly(settings);
    case '0A000':
    case '2BP01': {
      const [, view] = /on ((?:materialized )?view .+) depends on/.exec(cause.detail ?? '') ?? [];
      if (view === undefined) break;
      return unusable(`the type of a column cannot change, because the ${view} uses it: ${message}`, {
        cause,
        reason: 'view_of_column',
      });
    }
    case '53100':
      return statementFailed(`the disk of PostgreSQL at ${place} is full: ${message}`, {
        cause,
        hints: [`free some space there, then ${AGAIN}`],
      });
    case '53300':
      return unreachable(`PostgreSQL at ${place} has too many connections`, {
        cause,
        reason: 'too_many_connections',
      });
    case '57P01':
    case '57P02':
      return unreachable(`PostgreSQL at ${place} shut down`, { cause, hints: [AGAIN] });
    case '57P03':
      return unreachable(`PostgreSQL at ${place} accepts no connections yet: ${message}`, {
        cause,
        hints: ['try again later'],
      });
    case '57014':
      return statementFailed(`PostgreSQL at ${place} canceled a statement: ${message}`, {
        cause,
        hints: ["allow more time: PGOPTIONS='-c statement_timeout=1h'"],
      });
    case '55P03':
      return statementFailed(
        `another session holds a lock on the tables in ${schema} at ${place}: ${message}`,
        {
          cause,
          hints: ['stop that session; SELECT * FROM pg_stat_activity lists it'],
        },
      );
  }
  if (/unsupported startup parameter/.test(message))
    return unusable(`PostgreSQL at ${place} is behind a pooler that accepts no options: ${message}`, {
      cause,
      hints: ['connect to the server itself, or unset PGOPTIONS and omit options in the URL'],
    });
  if (state.startsWith('08'))
    return unreachable(`the connection to PostgreSQL at ${place} was lost: ${message}`, {
      cause,
      hints: [AGAIN],
    });
  if (state.startsWith('22')) {
    const [, column] = /, column ([^:]+):/.exec(cause.where ?? '') ?? [];
    const what = column === undefined ? 'the rows as they are' : `the column ${column} as it is`;
    const advice = state === OTHER_ENCODING ? "; create the database with ENCODING 'UTF8'" : '';
    return new UnrepresentableValueError(`PostgreSQL at ${place} cannot store ${what}: ${message}${advice}`, {
      path: place,
      code: 'unrepresentable_value',
      cause,
    });
  }
  const failed = `PostgreSQL at ${place} failed: ${message} (SQLSTATE ${state})`;
  if (state.startsWith('54'))
    return unusable(failed, {
      cause,
      hints: ['divide the columns of the table among several tables of the sync file'],
    });
  // Another try fails as well: a feature that is missing, a constraint, what depends on an object, or a statement that does not fit.
  const isPermanent = ['0A', '23', '2B', '42'].includes(state.slice(0, 2));
  return (isPermanent ? unusable : statementFailed)(failed, { cause });
}

function passwordMissing(settings: PostgresSettings): DestinationError {
  const { host, port, database, user } = settings;
  const { file } = settings.password();
  const line = `${host.startsWith('/') ? 'localhost' : host}:${port}:${database}:${user}:PASSWORD`;
  return loginRejected(`PostgreSQL at ${placeOf(settings)} requires a password for the user ${user}`, {
    hints: [
      file !== undefined && isReadableByOthers(file)
        ? `${file} is ignored, because others may read it: chmod 600 ${file}`
        : `set PGPASSWORD, or add a line to ${file ?? '~/.pgpass'}: ${line}`,
    ],
  });
}

/** Network errors in words, by their code. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'there is no such socket',
  EACCES: 'the socket may not be opened',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the name server did not respond',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'no response',
  EHOSTUNREACH: 'no response',
  ENETUNREACH: 'no response',
};

/** A network error in words. */
function reasonOf({ code = '', message }: PgError): string {
  if (NETWORK[code] !== undefined) return NETWORK[code];
  return message === 'timeout expired'
    ? 'no response in time'
    : message.charAt(0).toLowerCase() + message.slice(1);
}
