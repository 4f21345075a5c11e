import type {
  EntitlementStatus,
  FixtureEntitlement,
  FixtureReader,
  FixtureSession,
  Fixtures,
} from './fixtures/shape.ts';

/** The API key of the sandbox, recognizable as such. */
export const SANDBOX_API_KEY = 'sandbox-key-0000-not-a-secret';

const LATER = '2031-12-31T23:59:59Z';
const PAST = '2024-06-30T23:59:59Z';

function premium(status: EntitlementStatus, times: { starts?: string; expires?: string } = {}) {
  return { product: 'premium', status, ...times } satisfies FixtureEntitlement;
}

function signedIn(id: string): FixtureSession {
  return { id, state: 'active', expires: LATER };
}

function reader(
  email: string,
  note: string,
  entitlements: FixtureEntitlement[],
  sessions: FixtureSession[] = [],
): FixtureReader {
  return { email, note, entitlements, sessions };
}

/** The default account. Dates are absolute, so that output is reproducible. */
export const SEED: Fixtures = {
  apiKey: SANDBOX_API_KEY,
  domains: [
    {
      domain: 'example.com',
      id: 1001,
      subscriptions: true,
      products: [
        { key: 'premium', state: 'active' },
        { key: 'sports', state: 'active' },
        { key: 'print-archive', state: 'inactive' },
        { key: 'founders-club', state: 'removed' },
      ],
      readers: [
        reader(
          'active@example.com',
          'holds premium until the end of 2031, sports for life, and one article',
          [
            premium('active', { expires: LATER }),
            { product: 'sports', status: 'active' },
            { item: 'https://example.com/articles/long-read', status: 'active' },
          ],
          [signedIn('active-1')],
        ),
        reader('lifetime@example.com', 'holds premium for life', [premium('active')]),
        reader('expired@example.com', 'premium ended in June 2024', [premium('active', { expires: PAST })]),
        reader('revoked@example.com', 'premium was taken away', [premium('revoked', { expires: LATER })]),
        reader('suspended@example.com', 'premium is suspended', [premium('suspended', { expires: LATER })]),
        reader('pending@example.com', 'premium waits for its payment', [premium('pending')]),
        reader('notstarted@example.com', 'premium starts in 2031', [
          premium('active', { starts: '2031-01-01T00:00:00Z', expires: LATER }),
        ]),
        reader(
          'denied@example.com',
          'is known, holds sports but not premium',
          [{ product: 'sports', status: 'active' }],
          [signedIn('denied-1')],
        ),
        reader('item@example.com', 'bought single articles only', [
          { item: 'https://example.com/articles/long-read', status: 'active' },
          { item: 'https://example.com/articles/election-night', status: 'active', expires: PAST },
        ]),
        reader('removed@example.com', 'bought products that are no longer offered', [
          { product: 'founders-club', status: 'active', expires: LATER },
          { product: 'print-archive', status: 'active' },
        ]),
        reader(
          'lapsed@example.com',
          'holds premium, but the session token has lapsed',
          [premium('active', { expires: LATER })],
          [{ id: 'lapsed-1', state: 'active', expires: PAST }],
        ),
      ],
    },
    {
      domain: 'example.org',
      id: 1002,
      subscriptions: true,
      products: [
        { key: 'supporter', state: 'active' },
        { key: 'newsletter', state: 'active' },
      ],
      readers: [
        reader(
          'active@example.org',
          'holds supporter until the end of 2031',
          [{ product: 'supporter', status: 'active', expires: LATER }],
          [signedIn('active-1')],
        ),
        reader('expired@example.org', 'newsletter ended in June 2024', [
          { product: 'newsletter', status: 'active', expires: PAST },
        ]),
      ],
    },
    { domain: 'example.net', id: 1003, subscriptions: false, products: [], readers: [] },
  ],
};
