import { UsageError } from '../errors/index.ts';

/** A bucket, or what lies below a prefix of it. */
export interface S3Location {
  readonly bucket: string;
  /** Without a slash at either end; '' for all of the bucket. */
  readonly key: string;
  readonly region: string | undefined;
  /** The URL of a store that is not AWS. */
  readonly endpoint: string | undefined;
  /** Whether the bucket is in the path of a URL, not in its host; undefined for what the endpoint suggests. */
  readonly pathStyle: boolean | undefined;
}

const PARAMETERS = ['region', 'endpoint', 'path_style'] as const;
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;
const REGION = /^[a-z0-9-]{1,40}$/i;
/** The longest key of an object. */
export const MAX_KEY_BYTES = 1024;

/** Whether a path is the URL of an object or bucket. */
export function isS3Url(path: string): boolean {
  return /^s3:\/\//i.test(path);
}

/** `s3://bucket/key`, without parameters. */
export function printS3Location({ bucket, key }: Pick<S3Location, 'bucket' | 'key'>): string {
  return `s3://${bucket}${key === '' ? '' : `/${key}`}`;
}

/**
 * Reads `s3://bucket/prefix`, with the parameters `region`, `endpoint` and `path_style`. Throws UsageError; its message contains no
 * secret that a URL may have.
 */
export function parseS3Url(url: string): S3Location {
  if (!isS3Url(url)) throw invalid('the URL does not start with s3://', 'type s3://BUCKET/PREFIX');
  if (/\p{Cc}/u.test(url))
    throw invalid('the s3:// URL contains a control character', 'type s3://BUCKET/PREFIX');
  const rest = url.slice('s3://'.length);
  const question = rest.indexOf('?');
  const path = question < 0 ? rest : rest.slice(0, question);
  if (path.includes('@') && path.indexOf('@') < `${path}/`.indexOf('/'))
    throw invalid(
      'the s3:// URL contains credentials',
      'omit them: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    );
  const slash = path.indexOf('/');
  const bucket = slash < 0 ? path : path.slice(0, slash);
  if (!BUCKET.test(bucket))
    throw invalid(
      bucket === ''
        ? 'the s3:// URL names no bucket'
        : `${JSON.stringify(bucket)} is not the name of a bucket`,
      'type s3://BUCKET/PREFIX',
    );
  const key = slash < 0 ? '' : path.slice(slash + 1).replace(/\/+$/, '');
  // Stores keep such names apart, but the tools that read the objects do not.
  const odd = key === '' ? undefined : key.split('/').find(part => ['', '.', '..'].includes(part));
  if (odd !== undefined)
    throw invalid(
      `s3://${path} contains ${odd === '' ? 'an empty name' : `the name ${odd}`}`,
      'type s3://BUCKET/PREFIX',
    );
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw invalid(
      `the key of the s3:// URL has ${Buffer.byteLength(key)} bytes; at most ${MAX_KEY_BYTES} are allowed`,
      'choose a shorter one',
    );
  const parameters = parametersOf(question < 0 ? '' : rest.slice(question + 1));
  const { region, endpoint, path_style: style } = parameters;
  if (region !== undefined && !REGION.test(region))
    throw invalid(`invalid region ${JSON.stringify(region)}`, 'type one such as region=eu-central-1');
  if (style !== undefined && !['true', 'false'].includes(style))
    throw invalid(`invalid path_style '${style}'`, 'type path_style=true or path_style=false');
  return {
    bucket,
    key,
    region,
    endpoint: endpoint === undefined ? undefined : checkedEndpoint(endpoint),
    pathStyle: style === undefined ? undefined : style === 'true',
  };
}

function parametersOf(text: string): Partial<Record<(typeof PARAMETERS)[number], string>> {
  const found = new URLSearchParams(text);
  for (const [name, value] of found) {
    if (!(PARAMETERS as readonly string[]).includes(name))
      throw invalid(
        `an s3:// URL has no parameter ${JSON.stringify(name)}`,
        /key|secret|token|credential/i.test(name)
          ? 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE'
          : `parameters: ${PARAMETERS.join(', ')}`,
      );
    if (value === '')
      throw invalid(`the parameter ${name} of the s3:// URL is empty`, 'give it a value, or omit it');
  }
  return Object.fromEntries(found);
}

/** Reads the URL of an endpoint, with or without a scheme. Throws UsageError. */
export function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) && /^https?:/i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url) || text.trim() === '')
    throw invalid(
      'the endpoint of the object store is not a URL',
      'type one such as https://storage.example.com',
    );
  const { username, password, origin, pathname } = new URL(url);
  if (username !== '' || password !== '')
    throw invalid(
      'the endpoint of the object store contains credentials',
      'omit them: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    );
  return origin + (pathname === '/' ? '' : pathname);
}

function invalid(message: string, hint: string): UsageError {
  return new UsageError(message, { code: 'invalid_value', hints: [hint] });
}
