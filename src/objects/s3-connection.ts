import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { readFileSync } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import { USER_AGENT } from '../wire/user-agent.ts';
import { s3RegionOf } from './s3-errors.ts';
import { checkedEndpoint, type S3Location } from './s3-location.ts';

/** Requests are tried this often, unless AWS_MAX_ATTEMPTS says otherwise. */
const MAX_ATTEMPTS = 6;
const CONNECT_MS = 10_000;
/** A connection that carries nothing for so long is given up. */
const IDLE_MS = 60_000;
const SOCKETS = 16;
/** Where neither URL, environment nor profile names a region: AWS then answers with that of the bucket, other stores ignore it. */
const ANY_REGION = 'us-east-1';

/**
 * The client of a store: its endpoint, region, credentials and certificates, found as the AWS command line finds them. Methods throw
 * the errors of the SDK, and FileError for certificates that cannot be read.
 */
export class S3Connection {
  readonly #location: S3Location;
  readonly #env: NodeJS.ProcessEnv;
  #opened: Promise<S3Client> | undefined;
  /** Clients of another region, whose requests may not have ended. */
  readonly #superseded: S3Client[] = [];
  #endpoint: string | undefined;
  #region: string | undefined;
  /** The store's clock in the latest response. */
  #date: Date | undefined;

  /** Throws UsageError for an endpoint that is not valid. */
  constructor(location: S3Location, env: NodeJS.ProcessEnv) {
    this.#location = location;
    this.#env = env;
    this.#region = location.region ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined);
    const endpoint = location.endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined);
    this.#endpoint = endpoint === undefined ? undefined : checkedEndpoint(endpoint);
  }

  /** The URL of a store that is not AWS; known after the first request. */
  get endpoint(): string | undefined {
    return this.#endpoint;
  }

  /** The region of the requests; known after the first request. */
  get region(): string | undefined {
    return this.#region;
  }

  /** The store's clock in its latest response; undefined if it sends none. */
  get date(): Date | undefined {
    return this.#date;
  }

  /** Sends a request; once more if the store names another region for the bucket. */
  async send<Value>(send: (client: S3Client) => Promise<Value>): Promise<Value> {
    this.#opened ??= this.#connect();
    const opened = this.#opened;
    const client = await opened;
    try {
      return await send(client);
    } catch (error) {
      const region = s3RegionOf(error);
      if (region === undefined) throw error;
      // Another request may have found the region meanwhile.
      if (opened === this.#opened) {
        if (region === this.#region) throw error;
        this.#region = region;
        this.#opened = this.#connect();
        this.#superseded.push(client);
      }
      return await send(await this.#opened);
    }
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    const client = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    for (const each of [client, ...this.#superseded.splice(0)]) each?.destroy();
  }

  async #connect(): Promise<S3Client> {
    let client = this.#client();
    const region = await client.config.region().catch(() => undefined);
    if (region === undefined) {
      this.#region = ANY_REGION;
      client = this.#client();
    } else this.#region = region;
    const { config } = client;
    // A profile may name an endpoint, too.
    const ofProfile = this.#endpoint === undefined ? await config.serviceConfiguredEndpoint?.() : undefined;
    if (ofProfile !== undefined) this.#endpoint = checkedEndpoint(String(ofProfile));
    const isOther = this.#endpoint !== undefined;
    config.forcePathStyle = this.#location.pathStyle ?? isOther;
    if (isOther) {
      // Stores other than AWS may reject the checksums that the SDK adds. The signature covers the content anyway.
      if (!this.#env.AWS_REQUEST_CHECKSUM_CALCULATION)
        config.requestChecksumCalculation = async () => 'WHEN_REQUIRED';
      if (!this.#env.AWS_RESPONSE_CHECKSUM_VALIDATION)
        config.responseChecksumValidation = async () => 'WHEN_REQUIRED';
    }
    client.middlewareStack.add(
      next => async args => {
        const result = await next(args);
        const { date } = (result.response as { headers?: Record<string, string> }).headers ?? {};
        if (date !== undefined) this.#date = new Date(date);
        return result;
      },
      { step: 'deserialize', priority: 'low' },
    );
    return client;
  }

  #client(): S3Client {
    const ca = this.#certificates();
    const agent = { keepAlive: true, maxSockets: SOCKETS };
    return new S3Client({
      ...(this.#region !== undefined && { region: this.#region }),
      ...(this.#endpoint !== undefined && { endpoint: this.#endpoint }),
      ...this.#credentials(),
      customUserAgent: USER_AGENT,
      ...(this.#env.AWS_MAX_ATTEMPTS ? {} : { maxAttempts: MAX_ATTEMPTS }),
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: IDLE_MS,
        httpAgent: new HttpAgent(agent),
        httpsAgent: new HttpsAgent({ ...agent, ...(ca && { ca }) }),
        // Otherwise it writes warnings to the console.
        logger: QUIET,
      },
      logger: QUIET,
    });
  }

  /** Those of the environment, which the SDK would find itself in that of the process; all others are left to it. */
  #credentials(): Pick<S3ClientConfig, 'credentials'> {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = this.#env;
    if (!accessKeyId || !secretAccessKey || this.#env.AWS_PROFILE) return {};
    const sessionToken = this.#env.AWS_SESSION_TOKEN || undefined;
    return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } };
  }

  /** The certificate authorities of AWS_CA_BUNDLE, as other tools for S3 read it. Throws FileError. */
  #certificates(): string[] | undefined {
    const path = this.#env.AWS_CA_BUNDLE;
    if (!path) return undefined;
    try {
      return [...rootCertificates, readFileSync(path, 'utf8')];
    } catch (error) {
      throw fileError(path, error, 'read');
    }
  }
}

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
