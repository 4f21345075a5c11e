import type { Pair } from './pair.ts';

const HEADERS = { 'x-api-key': 'sandbox-key-0000-not-a-secret', 'content-type': 'application/json' };
const cleared = { status: 200, body: { Success: true, Error: '' } };

function pair(title: string, args: readonly string[], path: string, body?: unknown): Pair {
  return {
    title,
    args: ['cdn', ...args],
    request: {
      method: 'POST',
      target: `/cdnservices${path}`,
      headers: HEADERS,
      ...(body !== undefined && { body }),
    },
    response: cleared,
    exit: 0,
  };
}

/** Spec, Endpoints B. */
export const cdnPairs: readonly Pair[] = [
  pair('ping asks whether the CDN API responds, without a body', ['ping'], '/ping/'),
  pair('one URL', ['purge', 'https://example.com/news'], '/clearcache', { url: 'https://example.com/news' }),
  pair('several URLs', ['purge', 'https://example.com/news', 'https://example.com/'], '/bulkclearcache', {
    urls: ['https://example.com/news', 'https://example.com/'],
  }),
  pair(
    'surrogate keys',
    ['purge', '--key', 'news,front', '--domain', 'example.com'],
    '/clearbysurrogatekeys',
    {
      keys: 'news,front',
      domain: 'example.com',
    },
  ),
  pair('a whole domain', ['purge', '--all', '--domain', 'example.com', '--yes'], '/purgecache', {
    domain: 'example.com',
  }),
  {
    title: 'a URL that can not be cleared is Success:false under 200',
    args: ['cdn', 'purge', 'https://example.com/poisoned'],
    request: {
      method: 'POST',
      target: '/cdnservices/clearcache',
      headers: HEADERS,
      body: { url: 'https://example.com/poisoned' },
    },
    response: { status: 200, body: { Success: false, Error: 'any words' }, varying: ['Error'] },
    exit: 5,
  },
];
