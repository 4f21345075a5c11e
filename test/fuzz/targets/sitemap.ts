import { readSitemap } from '../../../src/apis/cdn/sitemap.ts';
import { UsageError } from '../../../src/errors/index.ts';
import type { FuzzTarget } from './target.ts';

async function locationsIn(input: Uint8Array, size: number): Promise<string> {
  const locations: string[] = [];
  async function* chunks() {
    for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
  }
  try {
    for await (const { kind, location } of readSitemap(chunks(), 'a sitemap'))
      locations.push(`${kind} ${location}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return 'rejected';
  }
  return locations.join('\n');
}

/** A sitemap is read to its end or rejected with UsageError, and the same way whatever the chunks. */
export const target: FuzzTarget = {
  dictionary: [
    ...[
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset>',
      '</urlset>',
      '<sitemapindex>',
      '</sitemapindex>',
    ],
    ...[
      '<url>',
      '</url>',
      '<sitemap>',
      '</sitemap>',
      '<loc>',
      '</loc>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&amp;',
    ],
    ...['&#x41;', '<!DOCTYPE a [', '<!ENTITY b "c">', 'https://example.com/', 'x:loc', '\x1f\x8b\x08\0'],
  ],
  async run(input) {
    const whole = await locationsIn(input, Math.max(1, input.length));
    // gzip is told by the first two bytes of the first chunk.
    const inParts = await locationsIn(input, 7);
    if (whole !== inParts) throw new Error(`other locations in chunks of 7 bytes: ${inParts}, not ${whole}`);
  },
};
