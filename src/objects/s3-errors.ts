import { DestinationError, GatectlError } from '../errors/index.ts';

/** What was asked of a bucket. */
export interface S3Call {
  /** Completes "no permission to …": `write`. */
  readonly verb: 'read' | 'write' | 'list' | 'delete' | 'abort';
  /** `s3://bucket/key` */
  readonly what: string;
  readonly bucket: string;
  /** The URL of a store that is not AWS. */
  readonly endpoint: string | undefined;
  /** The AWS profile that the environment names. */
  readonly profile: string | undefined;
}

const CREDENTIALS_HINT =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role provides them';
const FOR_OTHERS = '; for a store that is not AWS, set AWS_ENDPOINT_URL_S3';
const EXPIRED = [
  'the session token has expired',
  'log in again: aws sso login, or set a new AWS_SESSION_TOKEN',
] as const;
/** By the code of the store. */
const CREDENTIALS: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  InvalidAccessKeyId: [
    'the store does not know the access key',
    'check AWS_ACCESS_KEY_ID, or the profile in AWS_PROFILE',
  ],
  SignatureDoesNotMatch: [
    'the store rejects the secret key',
    'check AWS_SECRET_ACCESS_KEY, or the profile in AWS_PROFILE',
  ],
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  TokenRefreshRequired: EXPIRED,
  InvalidToken: [
    'the store rejects the session token',
    'set AWS_SESSION_TOKEN together with its key, or unset it',
  ],
  RequestTimeTooSkewed: [
    'the clock of this machine differs too much from that of the store',
    'set the clock: timedatectl set-ntp true',
  ],
};
const RIGHTS: Readonly<Record<S3Call['verb'], (bucket: string) => string>> = {
  read: bucket => `s3:GetObject on arn:aws:s3:::${bucket}/* and s3:ListBucket on arn:aws:s3:::${bucket}`,
  write: bucket => `s3:PutObject on arn:aws:s3:::${bucket}/*`,
  list: bucket => `s3:ListBucket on arn:aws:s3:::${bucket}`,
  delete: bucket => `s3:DeleteObject on arn:aws:s3:::${bucket}/*`,
  abort: bucket => `s3:AbortMultipartUpload on arn:aws:s3:::${bucket}/*`,
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

/** The error for a listing that ends early, with nothing to request the rest with. */
export function partialListingError(call: S3Call): DestinationError {
  return new DestinationError(
    `the object store${atEndpoint(call)} lists only the first objects of ${call.what}`,
    {
      code: 'destination_unusable',
      hints: ['use a store that supports ListObjectsV2, such as S3, R2, MinIO or Ceph'],
    },
  );
}

/** The error for a response that is a page for people. */
export function webPageError(call: S3Call): DestinationError {
  return new DestinationError(`a web page was received for ${call.what}`, {
    code: 'destination_failed',
    hints: ['check the endpoint, and whether the network requires a login'],
  });
}

/** The error for an object that was written without an error, and then does not exist. */
export function notStoredError(call: S3Call): DestinationError {
  return new DestinationError(
    `the object store${atEndpoint(call)} accepted ${call.what}, but did not store it`,
    { code: 'destination_failed', hints: ['check the endpoint, and whether the network requires a login'] },
  );
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

type Failure = readonly [code: DestinationError['code'], message: string, hints: readonly string[]];

/**
 * Converts an error of the SDK to a DestinationError that says what to type; other errors of gatectl are returned unchanged. Its text
 * has no message of the SDK or the store: those may contain keys, tokens and signed headers.
 */
export function s3Error(error: unknown, call: S3Call): GatectlError {
  if (error instanceof GatectlError) return error;
  const found = (error ?? {}) as SdkError;
  const name = found.Code ?? found.name ?? '';
  const [code, message, hints] =
    ofCredentials(found, name, call) ?? ofStatus(found, name, call) ?? ofConnection(found, name, call);
  return new DestinationError(message, { code, hints, cause: withoutSecrets(error) });
}

function ofCredentials(error: SdkError, name: string, call: S3Call): Failure | undefined {
  const { what, endpoint } = call;
  if (/(?:CredentialsProvider|TokenProvider|Provider)Error$/.test(name))
    return withoutCredentials(error, call);
  const known = CREDENTIALS[name];
  if (known === undefined) return undefined;
  const [problem, hint] = known;
  const isOther = name === 'InvalidAccessKeyId' && endpoint === undefined;
  return ['destination_login', `${what}: ${problem}`, [isOther ? `${hint}${FOR_OTHERS}` : hint]];
}

function withoutCredentials({ message = '' }: SdkError, { what, profile }: S3Call): Failure {
  const failure = (problem: string, hint: string): Failure => ['destination_login', problem, [hint]];
  if (/sso|expired/i.test(message))
    return failure(`${what}: the login of the AWS profile has expired`, 'log in again: aws sso login');
  if (profile === undefined) return failure(`there are no credentials for ${what}`, CREDENTIALS_HINT);
  return failure(
    `${what}: the AWS profile ${profile} does not exist, or has no credentials`,
    'check AWS_PROFILE: aws configure list-profiles',
  );
}

function ofStatus(error: SdkError, name: string, call: S3Call): Failure | undefined {
  const { what, bucket, verb, endpoint } = call;
  const status = s3Status(error);
  const at = atEndpoint(call);
  if (name === 'NoSuchBucket' || (status === 404 && verb === 'list'))
    return [
      'destination_unusable',
      `there is no bucket ${bucket}${at}`,
      [`create it: aws s3 mb s3://${bucket}${endpoint === undefined ? '' : ` --endpoint-url ${endpoint}`}`],
    ];
  if (name === 'KeyTooLongError')
    return [
      'destination_unusable',
      `${what}: the key is longer than the store allows`,
      ['choose a shorter prefix'],
    ];
  if (FULL.test(name) || status === 507)
    return [
      'destination_failed',
      `the store has no room for ${what}`,
      ['free some space, or raise the quota of the bucket'],
    ];
  const region = s3RegionOf(error);
  if (region !== undefined || status === 301 || status === 307)
    return [
      'destination_unusable',
      `the bucket ${bucket} is in ${region === undefined ? 'another region' : `the region ${region}`}`,
      [`set AWS_REGION=${region ?? 'REGION'}, or add ?region=${region ?? 'REGION'} to the URL`],
    ];
  if (status === 401 || status === 403)
    return [
      'destination_forbidden',
      `no permission to ${verb === 'abort' ? 'abort an upload of' : verb} ${what}`,
      [`allow ${RIGHTS[verb](bucket)}, or use other credentials`],
    ];
  if (status === 404) return ['destination_failed', `${what} does not exist`, []];
  if (status === 429 || (status !== undefined && status >= 500 && status !== 501))
    return [
      'destination_unreachable',
      `the object store${at} remained unavailable (${status}): ${what}`,
      ['try again later; complete rows are kept'],
    ];
  return undefined;
}

function ofConnection(error: SdkError, name: string, call: S3Call): Failure {
  const { what, endpoint } = call;
  const at = atEndpoint(call);
  const code = systemCodeOf(error);
  if (TLS.test(code))
    return [
      'destination_unreachable',
      `no TLS connection to the object store${at} (${code})`,
      ['to trust its certificate authority, set AWS_CA_BUNDLE=FILE; for a store without TLS, use http://'],
    ];
  // The SDK calls a lost connection a TimeoutError, too; a store says RequestTimeout.
  const why = SYSTEM[code] ?? (/^(?:TimeoutError|RequestTimeout)$/.test(name) ? SYSTEM.ETIMEDOUT : undefined);
  if (why !== undefined)
    return [
      'destination_unreachable',
      `the object store${at} cannot be reached: ${why}`,
      [
        why === SYSTEM.ECONNRESET
          ? 'try again later; complete rows are kept'
          : endpoint === undefined
            ? 'check the network; for a store that is not AWS, set AWS_ENDPOINT_URL_S3'
            : 'check the endpoint: ?endpoint= in the URL, or AWS_ENDPOINT_URL_S3',
      ],
    ];
  const detail = [s3Status(error), safeName(name)]
    .filter(part => part !== undefined && part !== '')
    .join(' ');
  return [
    'destination_failed',
    `the object store${at} failed for ${what}${detail === '' ? '' : ` (${detail})`}`,
    ['check that the endpoint is an S3 API'],
  ];
}

function atEndpoint({ endpoint }: S3Call): string {
  return endpoint === undefined ? '' : ` at ${endpoint}`;
}

/** The code word of an error, if it is one: any other text may contain anything. */
function safeName(name: string): string {
  return /^[A-Za-z]{1,60}$/.test(name) ? name : '';
}

/** The system's code of an error, or of its causes: a connection that tries several addresses has one for each. */
function systemCodeOf(error: unknown): string {
  let at = error as (SdkError & { readonly errors?: readonly SdkError[] }) | undefined;
  for (let depth = 0; at !== undefined && at !== null && depth < 4; depth++) {
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
