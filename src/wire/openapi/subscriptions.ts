import type { BrandNames } from '../brand.ts';
import { DECISIONS, REASON_CODES, SUBSCRIPTIONS_PREFIX } from '../subscriptions.ts';
import {
  type ApiParts,
  closed,
  constant,
  EITHER_KEY,
  inQuery,
  jsonBody,
  jsonResponse,
  list,
  NO_KEY_RESPONSE,
  object,
  type Part,
  ref,
  string,
} from './parts.ts';

const TAG = 'Subscriptions';

/** The Subscriptions API (spec, Endpoints A). */
export function subscriptionsParts(brand: BrandNames): ApiParts {
  return {
    tag: {
      name: TAG,
      description:
        'Server-to-server checks of reader access. Off until API access is enabled in the account dashboard (Subscriptions > Settings > REST API card).',
    },
    schemas: SCHEMAS,
    paths: {
      [`${SUBSCRIPTIONS_PREFIX}/access`]: {
        get: readerOperation(brand, {
          operationId: 'checkAccess',
          summary: 'Check whether a reader has access',
          description:
            'Access is granted only when `decision` is `allowed`. An unknown reader is `login_required` with `customer_required`, not an error.',
          parameters: [
            inQuery('product', string('Product handle. Takes precedence over `item`.'), {
              example: 'premium',
            }),
            inQuery(
              'item',
              string(
                'Key of a one-time item, as passed at checkout. For an article unlocked by its price, the URL of its page.',
              ),
            ),
          ],
          'x-at-least-one-of': [['product', 'item']],
          data: ref('AccessDecision'),
          examples: {
            allowed: { decision: 'allowed', reasonCode: 'allowed' },
            signedOut: { decision: 'login_required', reasonCode: 'customer_required' },
            ended: { decision: 'expired', reasonCode: 'expired' },
          },
        }),
      },
      [`${SUBSCRIPTIONS_PREFIX}/products`]: {
        get: readerOperation(brand, {
          operationId: 'listProducts',
          summary: 'List the products a reader holds',
          description: 'Excludes one-time item purchases. Empty for an unknown reader.',
          parameters: [],
          data: list(string('Product handle.'), 'Product handles that the reader currently holds.'),
          examples: { some: ['premium', 'sports'], none: [] },
        }),
      },
      [`${SUBSCRIPTIONS_PREFIX}/purchases`]: {
        get: readerOperation(brand, {
          operationId: 'listPurchases',
          summary: "List a reader's purchases and entitlements",
          description: 'Includes one-time item purchases. Empty for an unknown reader.',
          parameters: [],
          data: list(ref('Purchase'), 'Purchases of the reader.'),
          examples: {
            some: [
              { productKey: 'premium', status: 'active', expiresAt: '2031-12-31T23:59:59Z' },
              { item: 'https://example.com/articles/long-read', status: 'active' },
            ],
            none: [],
          },
        }),
      },
      [`${SUBSCRIPTIONS_PREFIX}/identity-token`]: {
        post: {
          operationId: 'createIdentityToken',
          tags: [TAG],
          summary: 'Create an identity token for a signed-in reader',
          description:
            'Does not look a reader up, and takes no reader header. The token is valid for one hour and must not be cached or reused.',
          security: EITHER_KEY,
          parameters: [domainParameter],
          'x-forbidden-headers': [brand.readerEmailHeader, brand.readerTokenHeader],
          requestBody: jsonBody(ref('IdentityTokenRequest'), {
            signedIn: { email: 'signed-in@example.com' },
          }),
          responses: responses(ref('IdentityToken'), {
            created: { token: 'aaaa.bbbb.cccc', expiresAt: '2026-03-14T13:00:00Z' },
          }),
        },
      },
    },
  };
}

const domainParameter = inQuery('domain', string('Queried domain; must belong to the account.'), {
  required: true,
  example: 'example.com',
});

interface ReaderOperation extends Part {
  readonly parameters: readonly Part[];
  readonly data: Part;
  readonly examples: Part;
}

function readerOperation(brand: BrandNames, { data, examples, ...operation }: ReaderOperation): Part {
  return {
    tags: [TAG],
    ...operation,
    security: EITHER_KEY,
    parameters: [
      domainParameter,
      ...operation.parameters,
      {
        name: brand.readerEmailHeader,
        in: 'header',
        description: "The reader's e-mail address. Send either this header or the session token.",
        schema: { type: 'string', minLength: 1 },
        example: 'active@example.com',
      },
      {
        name: brand.readerTokenHeader,
        in: 'header',
        description:
          "The reader's session token, relayed from the page. Send either this header or the e-mail address.",
        schema: { type: 'string', minLength: 1 },
      },
    ],
    'x-exactly-one-of': [[brand.readerEmailHeader, brand.readerTokenHeader]],
    responses: responses(data, examples),
  };
}

function responses(data: Part, examples: Part): Part {
  const enveloped = Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { success: true, data: value }]),
  );
  const schema = object({ success: constant(true), data }, ['success', 'data']);
  const failure = ref('SubscriptionsError');
  return {
    '200': jsonResponse('Success.', schema, enveloped, {
      headers: {
        'Cache-Control': { description: 'Never cacheable.', schema: { const: 'no-store' }, required: true },
      },
    }),
    '400': jsonResponse(
      'Neither `product` nor `item` given, no or two reader headers, or `email` missing or invalid.',
      failure,
      { noReader: { success: false, message: 'a reader e-mail or token is required' } },
    ),
    '403': jsonResponse(
      'Subscriptions are not enabled for the domain, or the reader token is invalid or of another domain. Also a domain of another account.',
      failure,
      { notEnabled: { success: false, message: 'subscriptions are not enabled for example.net' } },
    ),
    '503': NO_KEY_RESPONSE,
    default: jsonResponse(
      'Any other rejected request.',
      failure,
      { unknownKey: { success: false, message: 'the API key is not valid' } },
      { 'x-assumed': 'Statuses other than 400 and 403 are not documented; 401 for an unknown key.' },
    ),
  };
}

const SCHEMAS = {
  AccessDecision: object(
    {
      decision: string('Access is granted only by `allowed`.', { enum: DECISIONS }),
      reasonCode: string('Why.', { enum: REASON_CODES }),
    },
    ['decision', 'reasonCode'],
  ),
  Purchase: object(
    {
      productKey: string(
        'Product of the purchase. Absent for a one-time item and for a product that was removed.',
      ),
      item: string('Key of the item. Present only for a one-time purchase.'),
      status: string('Entitlement status; `active` is current access.', {
        examples: ['active'],
        'x-assumed': 'Values other than `active` are not documented.',
      }),
      expiresAt: string('End of time-limited access; absent for lifetime access.', { format: 'date-time' }),
    },
    ['status'],
  ),
  IdentityTokenRequest: closed(
    { email: string('Address of the signed-in reader, valid at checkout.', { format: 'email' }) },
    ['email'],
  ),
  IdentityToken: object(
    {
      token: string('Signed token; the e-mail address inside is encrypted.'),
      expiresAt: string('One hour after the token was made.', { format: 'date-time' }),
    },
    ['token', 'expiresAt'],
  ),
  SubscriptionsError: object({ success: constant(false), message: string('Description of the problem.') }, [
    'success',
    'message',
  ]),
};
