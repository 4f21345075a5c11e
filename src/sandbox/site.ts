import type { FixtureReader, FixtureSession, Fixtures, ProductState } from './fixtures/shape.ts';
import { SANDBOX_API_KEY } from './seed.ts';
import { signSessionToken } from './subscriptions/session-token.ts';

/** One domain of the account, indexed. */
export interface SiteDomain {
  readonly id: number;
  readonly domain: string;
  readonly subscriptions: boolean;
  readonly products: ReadonlyMap<string, ProductState>;
  /** By lower-case e-mail address. */
  readonly readers: ReadonlyMap<string, FixtureReader>;
  /** By session id. */
  readonly sessions: ReadonlyMap<
    string,
    { readonly reader: FixtureReader; readonly session: FixtureSession }
  >;
}

export interface Site {
  readonly apiKey: string;
  /** By lower-case domain, in the order of the fixtures. */
  readonly domains: ReadonlyMap<string, SiteDomain>;
}

/** Indexes fixtures. */
export function buildSite(fixtures: Fixtures): Site {
  const domains = fixtures.domains.map(({ domain, id, subscriptions, products, readers }): SiteDomain => {
    const sessions = readers.flatMap(reader =>
      reader.sessions.map(session => [session.id, { reader, session }] as const),
    );
    return {
      id,
      domain: domain.toLowerCase(),
      subscriptions,
      products: new Map(products.map(({ key, state }) => [key, state])),
      readers: new Map(readers.map(reader => [reader.email.toLowerCase(), reader])),
      sessions: new Map(sessions),
    };
  });
  return {
    apiKey: fixtures.apiKey ?? SANDBOX_API_KEY,
    domains: new Map(domains.map(domain => [domain.domain, domain])),
  };
}

export interface SeededProduct {
  readonly domain: string;
  readonly key: string;
  readonly state: ProductState;
}

export interface SeededReader {
  readonly email: string;
  readonly domain: string;
  /** What the reader demonstrates, in a few words. */
  readonly shows: string;
  /** Token of the reader's first session, for the reader-token header. */
  readonly sessionToken?: string;
}

/** Every product of the account, for listing. */
export function seededProducts(site: Site): SeededProduct[] {
  return [...site.domains.values()].flatMap(({ domain, products }) =>
    [...products].map(([key, state]) => ({ domain, key, state })),
  );
}

/** Every reader of the account with a description, for listing. */
export function seededReaders(site: Site, sessionSecret: Buffer): SeededReader[] {
  return [...site.domains.values()].flatMap(domain =>
    [...domain.readers.values()].map(reader => seededReader(domain, reader, sessionSecret)),
  );
}

function seededReader({ domain }: SiteDomain, reader: FixtureReader, secret: Buffer): SeededReader {
  const [session] = reader.sessions;
  return {
    email: reader.email,
    domain,
    shows: reader.note ?? describeEntitlements(reader),
    ...(session === undefined ? {} : { sessionToken: signSessionToken(secret, domain, session) }),
  };
}

function describeEntitlements({ entitlements }: FixtureReader): string {
  const words = entitlements.map(({ product, item, status }) => `${product ?? item} ${status}`);
  return words.join(', ') || 'no entitlements';
}
