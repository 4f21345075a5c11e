import { type ErrorCode, FileError } from '../errors/index.ts';

/** What was asked of a bucket. */
export interface S3Call {
  /** Completes "no permission to …": `write`. */
  readonly verb: 'read' | 'write' | 'list' | 'delete';
  /** `s3://bucket/key` */
  readonly what: string;
  readonly bucket: string;
  /** The URL of a store that is not AWS. */
  readonly endpoint: string | undefined;
}

const CREDENTIALS_HINT =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role provides them';
const RIGHTS = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
};
const SYSTEM: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name could not be resolved',
  EAI_AGAIN: 'its host name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it did not respond in time',
};
const TLS =
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|EPROTO)/;
const FULL =
  /^(?:QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|InsufficientCapacity|EntityTooLarge)$/;

interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number; readonly headers?: Readonly<Record<string, string>> };
  readonly Region?: string;
  readonly cause?: unknown;
}

/** The HTTP status of a failed call; undefined without a response. */
export function s3Status(error: unknown): number | undefined {
  const { $metadata, $response } = (error ?? {}) as SdkError;
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

/** The region that a bucket is in, where the store says so in place of serving the call. */
export function s3RegionOf(error: unknown): string | undefined {
  const { name, $response, Region } = (error ?? {}) as SdkError;
  const status = s3Status(error);
  const isElsewhere =
    status === 301 ||
    status === 307 ||
    name === 'PermanentRedirect' ||
    name === 'AuthorizationHeaderMalformed';
  return isElsewhere || status === 400 ? ($response?.headers?.['x-amz-bucket-region'] ?? Region) : undefined;
}

/**
 * Converts an error of the SDK to a FileError that says what to type. Its text has no message of the SDK or the store: those may
 * contain keys, tokens and signed headers.
 */
export function s3Error(error: unknown, call: S3Call): FileError {
  if (error instanceof FileError) return error;
  const { what, bucket, verb, endpoint } = call;
  const found = (error ?? {}) as SdkError;
  const name = found.Code ?? found.name ?? '';
  const status = s3Status(error);
  const at = endpoint === undefined ? '' : ` at ${endpoint}`;
  const fail = (message: string, code: ErrorCode<'file'>, hints: readonly string[]) =>
    new FileError(message, { path: what, code, hints, cause: withoutSecrets(error) });

  if (/(?:CredentialsProvider|TokenProvider|Provider)Error$/.test(name))
    return fail(...credentials(found, what));
  switch (name) {
    case 'InvalidAccessKeyId':
      return fail(`${what}: the store does not know the access key`, 'permission_denied', [
        `check AWS_ACCESS_KEY_ID, or the profile in AWS_PROFILE${endpointHint(endpoint)}`,
      ]);
    case 'SignatureDoesNotMatch':
      return fail(`${what}: the store rejects the secret key`, 'permission_denied', [
        'check AWS_SECRET_ACCESS_KEY, or the profile in AWS_PROFILE',
      ]);
    case 'ExpiredToken':
    case 'ExpiredTokenException':
    case 'TokenRefreshRequired':
      return fail(`${what}: the session token has expired`, 'permission_denied', [
        'log in again: aws sso login, or set a new AWS_SESSION_TOKEN',
      ]);
    case 'InvalidToken':
      return fail(`${what}: the store rejects the session token`, 'permission_denied', [
        'set AWS_SESSION_TOKEN together with its key, or unset it',
      ]);
    case 'RequestTimeTooSkewed':
      return fail(
        `${what}: the clock of this machine differs too much from that of the store`,
        'permission_denied',
        ['set the clock: timedatectl set-ntp true'],
      );
    case 'NoSuchBucket':
      return fail(`there is no bucket ${bucket}${at}`, 'file_not_found', [
        `create it: aws s3 mb s3://${bucket}${endpoint === undefined ? '' : ` --endpoint-url ${endpoint}`}`,
      ]);
  }
  if (FULL.test(name) || status === 507)
    return fail(`the store has no room for ${what}`, 'disk_full', [
      'free some space, or raise the quota of the bucket',
    ]);
  const region = s3RegionOf(error);
  if (region !== undefined || status === 301)
    return fail(
      `the bucket ${bucket} is in ${region === undefined ? 'another region' : `the region ${region}`}`,
      'store_unavailable',
      [`set AWS_REGION=${region ?? 'REGION'}, or add ?region=${region ?? 'REGION'} to the URL`],
    );
  if (status === 401 || status === 403)
    return fail(`no permission to ${verb} ${what}`, 'permission_denied', [
      `allow ${RIGHTS[verb]} on arn:aws:s3:::${bucket}${verb === 'list' ? '' : '/*'}, or use other credentials`,
    ]);
  if (status === 404 && verb === 'list')
    return fail(`there is no bucket ${bucket}${at}`, 'file_not_found', ['check the name, and the endpoint']);
  if (status === 404) return fail(`${what} does not exist`, 'file_not_found', []);
  if (status === 429 || (status !== undefined && status >= 500))
    return fail(`the object store${at} remained unavailable (${status}): ${what}`, 'store_unavailable', [
      'try again later: what is complete remains',
    ]);
  return fail(...unreachable(found, call, at, status, name));
}

type Failure = [message: string, code: ErrorCode<'file'>, hints: readonly string[]];

function credentials({ message = '' }: SdkError, what: string): Failure {
  if (/sso|token is expired|expired/i.test(message))
    return [
      `${what}: the login of the AWS profile has expired`,
      'no_credentials',
      ['log in again: aws sso login'],
    ];
  if (/profile/i.test(message) && /could not be found|not found|could not resolve/i.test(message))
    return [
      `${what}: the AWS profile does not exist, or has no credentials`,
      'no_credentials',
      ['check AWS_PROFILE: aws configure list-profiles'],
    ];
  return [`there are no credentials for ${what}`, 'no_credentials', [CREDENTIALS_HINT]];
}

function unreachable(
  error: SdkError,
  { what, endpoint }: S3Call,
  at: string,
  status: number | undefined,
  name: string,
): Failure {
  const code = systemCodeOf(error);
  if (TLS.test(code))
    return [
      `the certificate of the object store${at} is not trusted (${code})`,
      'store_unavailable',
      ['trust its certificate authority: set AWS_CA_BUNDLE=FILE, or NODE_EXTRA_CA_CERTS=FILE'],
    ];
  const isTimeout = name === 'TimeoutError' || code === 'ETIMEDOUT';
  const why = isTimeout ? SYSTEM.ETIMEDOUT : SYSTEM[code];
  if (why !== undefined)
    return [
      `the object store${at} cannot be reached: ${why}`,
      'store_unavailable',
      [
        endpoint === undefined
          ? 'check the network; for a store that is not AWS, set AWS_ENDPOINT_URL_S3'
          : 'check the endpoint: ?endpoint= in the URL, or AWS_ENDPOINT_URL_S3',
      ],
    ];
  if (/region is missing/i.test(error.message ?? ''))
    return [
      `no region is set for ${what}`,
      'store_unavailable',
      ['set AWS_REGION, or add ?region=REGION to the URL'],
    ];
  const detail = [status, safeName(name)].filter(part => part !== undefined && part !== '').join(' ');
  return [
    `the object store${at} failed for ${what}${detail === '' ? '' : ` (${detail})`}`,
    'store_unavailable',
    ['check that the endpoint is an S3 API'],
  ];
}

/** The code word of an error, if it is one: any other text may contain anything. */
function safeName(name: string): string {
  return /^[A-Za-z]{1,60}$/.test(name) ? name : '';
}

/** The system's code of an error, or of its causes: a connection that tries several addresses has one for each. */
function systemCodeOf(error: unknown): string {
  for (
    let at = error as (SdkError & { errors?: readonly SdkError[] }) | undefined, depth = 0;
    at && depth < 4;
    depth++
  ) {
    const code = at.code ?? at.errors?.[0]?.code;
    if (typeof code === 'string') return code;
    at = at.cause as SdkError | undefined;
  }
  return '';
}

/** A cause for debugging, without what was sent or received. */
function withoutSecrets(error: unknown): Error {
  const { name = 'Error', Code } = (error ?? {}) as SdkError;
  return new Error([safeName(Code ?? name), s3Status(error)].filter(Boolean).join(' '));
}

function endpointHint(endpoint: string | undefined): string {
  return endpoint === undefined ? '; for a store that is not AWS, set AWS_ENDPOINT_URL_S3' : '';
}
