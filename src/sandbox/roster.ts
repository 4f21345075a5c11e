import type { FixtureReader, ProductState } from './fixtures/shape.ts';
import type { Site, SiteDomain } from './site.ts';
import { signSessionToken } from './subscriptions/session-token.ts';

export interface SeededProduct {
  readonly domain: string;
  readonly key: string;
  readonly state: ProductState;
}

export interface SeededReader {
  readonly email: string;
  readonly domain: string;
  /** What the reader is there to show, in a few words. */
  readonly shows: string;
  /** The token of the reader's first session, ready for the reader-token header. */
  readonly sessionToken?: string;
}

/** Every product of the account, for listing. */
export function seededProducts(site: Site): SeededProduct[] {
  return [...site.domains.values()].flatMap(({ domain, products }) =>
    [...products].map(([key, state]) => ({ domain, key, state })),
  );
}

/** Every reader of the account with what it shows, for listing. */
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
    shows: reader.note ?? entitlementsInWords(reader),
    ...(session === undefined ? {} : { sessionToken: signSessionToken(secret, domain, session) }),
  };
}

function entitlementsInWords({ entitlements }: FixtureReader): string {
  const words = entitlements.map(({ product, item, status }) => `${product ?? item} ${status}`);
  return words.join(', ') || 'holds nothing';
}
