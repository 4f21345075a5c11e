/** The rules of a robots.txt for one user agent (RFC 9309). */
export interface Robots {
  /** Whether the program may fetch a path with its query. */
  isAllowed(path: string): boolean;
  /** Seconds between two requests; undefined where it names none. */
  readonly delay: number | undefined;
  /** The URLs of its sitemaps. */
  readonly sitemaps: readonly string[];
}

interface Rule {
  readonly allows: boolean;
  readonly path: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delay: number | undefined;
}

/** Parsers must read at least 500 KiB (RFC 9309, 2.5); more is ignored. */
export const ROBOTS_LIMIT = 512 * 1024;

/**
 * Parses a robots.txt for a user agent, named in lower case. The groups that name it count together; without one, those for `*`. The longest
 * rule that matches decides, and of two equally long ones the one that allows.
 */
export function parseRobots(text: string, agent: string): Robots {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let isHeader = false;
  for (const line of text
    .slice(0, ROBOTS_LIMIT)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? [];
    const field = name.toLowerCase();
    if (field === 'sitemap') sitemaps.push(value);
    if (field === 'user-agent') {
      if (!isHeader) groups.push({ agents: [], rules: [], delay: undefined });
      groups.at(-1)?.agents.push(value.toLowerCase());
      isHeader = true;
    } else if (field === 'allow' || field === 'disallow' || field === 'crawl-delay') {
      isHeader = false;
      const group = groups.at(-1);
      if (group === undefined) continue;
      if (field !== 'crawl-delay') group.rules.push({ allows: field === 'allow', path: value });
      else if (/^\d{1,4}(?:\.\d+)?$/.test(value)) group.delay = Number(value);
    }
  }
  const named = groups.filter(({ agents }) =>
    agents.some(each => each !== '*' && agent.startsWith(each.split('/')[0] ?? each)),
  );
  const own = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  const rules = own.flatMap(group => group.rules).filter(({ path }) => path !== '');
  return {
    isAllowed(path) {
      let best: Rule | undefined;
      for (const rule of rules) {
        if (!matches(rule.path, path)) continue;
        const longer = rule.path.length - (best?.path.length ?? -1);
        if (longer > 0 || (longer === 0 && rule.allows)) best = rule;
      }
      return best?.allows ?? true;
    },
    delay: own.find(({ delay }) => delay !== undefined)?.delay,
    sitemaps,
  };
}

/** `*` matches anything, `$` at the end the end of the path. Takes time in proportion to both lengths. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}
