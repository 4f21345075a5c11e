import type { FixtureReader, FixtureSession, Fixtures, ProductState } from './fixtures/shape.ts';
import { SANDBOX_API_KEY } from './seed.ts';

/** One domain of the account, indexed for look-up. */
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
