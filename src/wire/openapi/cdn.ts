import { BULK_CLEAR_LIMIT, CDN_PREFIX } from '../cdn.ts';
import {
  type ApiParts,
  closed,
  EITHER_KEY,
  jsonBody,
  jsonResponse,
  list,
  NO_KEY_RESPONSE,
  object,
  type Part,
  ref,
  string,
} from './parts.ts';

const TAG = 'CDN';

/** The CDN API (spec, Endpoints B). */
export function cdnParts(): ApiParts {
  return {
    tag: {
      name: TAG,
      description: 'Clears cached content. Failures are reported through `Success` and `Error`.',
    },
    schemas: SCHEMAS,
    paths: {
      [`${CDN_PREFIX}/ping/`]: {
        post: operation('pingCdn', 'Check that the CDN API responds', 'Takes no body.'),
      },
      [`${CDN_PREFIX}/clearcache`]: {
        post: operation('clearUrl', 'Clear one URL', 'Clears the URL in all regions.', 'ClearUrlRequest', {
          article: { url: 'https://example.com/news' },
        }),
      },
      [`${CDN_PREFIX}/bulkclearcache`]: {
        post: operation(
          'clearUrls',
          'Clear many URLs',
          `The URLs are processed in batches of ${BULK_CLEAR_LIMIT}.`,
          'ClearUrlsRequest',
          { two: { urls: ['https://example.com/news', 'https://example.com/'] } },
        ),
      },
      [`${CDN_PREFIX}/clearbysurrogatekeys`]: {
        post: operation(
          'clearSurrogateKeys',
          'Clear by surrogate keys',
          'Clears the content that carries one of the keys.',
          'ClearKeysRequest',
          { two: { keys: 'news,front', domain: 'example.com' } },
        ),
      },
      [`${CDN_PREFIX}/purgecache`]: {
        post: operation(
          'purgeDomain',
          'Purge a domain',
          'Purges the entire CDN cache of the domain.',
          'PurgeDomainRequest',
          { all: { domain: 'example.com' } },
        ),
      },
    },
  };
}

function operation(
  operationId: string,
  summary: string,
  description: string,
  body?: string,
  examples: Part = {},
): Part {
  return {
    operationId,
    tags: [TAG],
    summary,
    description,
    security: EITHER_KEY,
    ...(body !== undefined && { requestBody: jsonBody(ref(body), examples) }),
    responses: {
      '200': jsonResponse('The outcome: `Success` is true if it worked.', ref('CdnResponse'), {
        cleared: { Success: true, Error: '' },
        failed: { Success: false, Error: 'a URL could not be cleared' },
      }),
      '503': NO_KEY_RESPONSE,
      default: jsonResponse(
        'Rejected request.',
        ref('CdnResponse'),
        { malformed: { Success: false, Error: 'domain must be bare' } },
        { 'x-assumed': 'Statuses and error texts of failures are not documented.' },
      ),
    },
  };
}

const url = string('Absolute http or https URL.', { format: 'uri', examples: ['https://example.com/news'] });
const bareDomain = string('Bare domain: no subdomain such as `www.`, no scheme, no path.', {
  pattern: '^(?!www\\.)[^/:?#\\s]+$',
  examples: ['example.com'],
});

const SCHEMAS = {
  CdnResponse: object(
    {
      Success: { type: 'boolean', description: '`true` when the operation succeeded.' },
      Error: string('Empty on success.'),
    },
    ['Success', 'Error'],
  ),
  ClearUrlRequest: closed({ url }, ['url']),
  ClearUrlsRequest: closed(
    {
      urls: list(url, 'URLs to clear.', {
        minItems: 1,
        'x-assumed': 'Whether an empty list is rejected is not documented.',
      }),
    },
    ['urls'],
  ),
  ClearKeysRequest: closed(
    {
      keys: string('Surrogate keys, separated by commas.', { minLength: 1, examples: ['news,front'] }),
      domain: bareDomain,
    },
    ['keys', 'domain'],
  ),
  PurgeDomainRequest: closed({ domain: bareDomain }, ['domain']),
};
