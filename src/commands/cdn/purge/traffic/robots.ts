import { parseRobots, ROBOTS_LIMIT, type Robots } from '../../../../apis/cdn/robots.ts';
import type { Context } from '../../../framework/context.ts';
import type { AllowedSites } from '../allowed-sites.ts';

/** The name under which pages are fetched. */
const USER_AGENT = 'gatectl';

const NO_RULES: Robots = parseRobots('', USER_AGENT);
/** A server that fails may forbid everything (RFC 9309, 2.3.1.4). */
const NOTHING_ALLOWED: Robots = parseRobots('User-agent: *\nDisallow: /\n', USER_AGENT);

/** The rules of the robots.txt of a URL's site. Without one, everything is allowed; while its server fails, nothing. */
export async function robotsOf(url: string, isAllowed: AllowedSites, context: Context): Promise<Robots> {
  const pages = await context.pages();
  const page = await pages.get(new URL('/robots.txt', url).href, isAllowed);
  if (page.status !== 200) {
    page.drop();
    return page.status >= 500 ? NOTHING_ALLOWED : NO_RULES;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of page.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= ROBOTS_LIMIT) {
      page.drop();
      break;
    }
  }
  return parseRobots(Buffer.concat(chunks).toString('utf8'), USER_AGENT);
}
