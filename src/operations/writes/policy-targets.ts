import type { Written } from '../../apis/write-endpoints.ts';
import { groupDigits, pluralize } from '../../terminal/numbers.ts';

import type { Rule } from './policy-form.ts';
import type { Denial, Policy } from './weighed-write.ts';
import type { WriteFacts } from './write-facts.ts';

/** A rule and how many targets it applies to. */
export interface AppliedRule {
  readonly rule: Rule;
  readonly name: string;
  readonly targets: number;
}

/**
 * Counts the targets that the rules of a policy apply to. A rule restricts whatever it may mean, and allows only what it surely means: keys
 * may clear any page of their domain, and what is not documented may be anything.
 */
export class RuleTargets {
  readonly policy: Policy;
  readonly #facts: Omit<WriteFacts, 'targets'>;
  readonly #matchers: readonly RuleMatcher[];
  readonly #counts: number[];
  #unmatched = 0;
  #firstUnmatched: string | undefined;
  #total = 0;

  constructor(policy: Policy, facts: Omit<WriteFacts, 'targets'>) {
    this.policy = policy;
    this.#facts = facts;
    this.#matchers = policy.rules.map(rule => new RuleMatcher(rule, facts));
    this.#counts = policy.rules.map(() => 0);
  }

  add({ what, targets }: Pick<WriteFacts, 'what' | 'targets'>): void {
    for (const target of targets) this.#add(what, target);
  }

  /** A write without targets is one by itself. */
  end(): void {
    if (this.#total === 0) this.#add('other', this.#facts.command ?? 'a request that is not documented');
  }

  get applied(): readonly AppliedRule[] {
    return this.policy.rules.flatMap((rule, index) => {
      const targets = this.#counts[index] ?? 0;
      return targets === 0 ? [] : [{ rule, name: rule.name ?? `rule ${index + 1}`, targets }];
    });
  }

  /** Targets that no rule allows, and the first of them. */
  get unmatched(): { readonly count: number; readonly first: string } | undefined {
    return this.#firstUnmatched === undefined
      ? undefined
      : { count: this.#unmatched, first: this.#firstUnmatched };
  }

  #add(what: Written, target: string): void {
    this.#total += 1;
    const place = new Place(what, target, this.#facts.domain);
    let isAllowed = false;
    for (const [index, matcher] of this.#matchers.entries()) {
      const match = matcher.match(place);
      if (match !== 'no') this.#counts[index] = (this.#counts[index] ?? 0) + 1;
      if (match === 'surely') isAllowed = true;
    }
    if (isAllowed) return;
    this.#unmatched += 1;
    this.#firstUnmatched ??= target;
  }
}

/** What the rules say of the targets: that they are denied, that no rule allows them, and that they are too many. */
export function denialsByTargets(matched: RuleTargets): readonly Denial[] {
  const { policy, unmatched, applied } = matched;
  const denials: Denial[] = [];
  for (const { rule, name, targets } of applied) {
    const { deny, max_targets: most } = rule;
    const because = (reason: string) => denials.push({ policy: policy.path, rule: name, reason });
    if (deny) because('it is denied');
    if (most !== undefined && targets > most)
      because(`${pluralize(targets, 'target')}, and at most ${groupDigits(most)} are allowed`);
  }
  if (policy.otherwise === 'deny' && unmatched !== undefined) {
    const more = unmatched.count > 1 ? ` and ${pluralize(unmatched.count - 1, 'more target')}` : '';
    denials.push({
      policy: policy.path,
      rule: undefined,
      reason: `no rule allows ${unmatched.first}${more}`,
    });
  }
  return denials;
}

type Match = 'surely' | 'maybe' | 'no';

/** What a server, a cache or a list may read as something else: encoded dots and slashes, wildcards, parameters, several URLs. */
const AMBIGUOUS = /\/\/|%(?:2e|2f|5c|25|3b)|[;*,\\\s]/i;
const SEVERAL = /[,;|\s]+(?:https?:)?\/\//i;

/** One target: where it is, as far as that is known. */
class Place {
  /** The URL without its scheme; undefined for what is not a URL. */
  readonly url: string | undefined;
  readonly host: string | undefined;
  /** Whether everybody reads it in the same way. */
  readonly isPlain: boolean;

  constructor(what: Written, target: string, domain: string | undefined) {
    const isUrl = what === 'URL' && URL.canParse(target) && !SEVERAL.test(target);
    const url = isUrl ? new URL(target) : undefined;
    const hostname = url?.hostname.replace(/\.+$/, '');
    this.url = url === undefined ? undefined : `${url.host}${url.pathname}${url.search}`;
    this.host = what === 'URL' ? hostname : domain?.toLowerCase();
    this.isPlain =
      what !== 'URL' ||
      (url !== undefined &&
        `${url.username}${url.password}${url.port}` === '' &&
        url.hostname === hostname &&
        !AMBIGUOUS.test(url.pathname) &&
        !AMBIGUOUS.test(target.replace(/^https?:\/\//i, '').replace(/[?#].*$/s, '')));
  }
}

class RuleMatcher {
  readonly #rule: Rule;
  readonly #ofWrite: Match;
  readonly #urls: readonly UrlPattern[] | undefined;

  constructor(rule: Rule, { command, effect }: Omit<WriteFacts, 'targets'>) {
    this.#rule = rule;
    this.#urls = rule.url?.map(text => new UrlPattern(text));
    const isKnown = command !== undefined;
    const isCommand = rule.command === undefined || (isKnown && rule.command.includes(command));
    const isEffect = rule.effect === undefined || (rule.effect as readonly string[]).includes(effect);
    this.#ofWrite = isCommand && isEffect ? 'surely' : isKnown ? 'no' : 'maybe';
  }

  match(place: Place): Match {
    const isPlain = place.isPlain ? 'surely' : 'maybe';
    return weakest([this.#ofWrite, this.#ofDomain(place), this.#ofUrl(place), isPlain]);
  }

  #ofDomain({ host, url }: Place): Match {
    const { domain } = this.#rule;
    if (domain === undefined) return 'surely';
    if (host === undefined) return 'maybe';
    const match = strongest(domain.map(each => domainMatch(each.toLowerCase(), host)));
    // A URL is on its own domain only.
    return url !== undefined && match === 'maybe' ? 'no' : match;
  }

  #ofUrl({ url, host, isPlain }: Place): Match {
    if (this.#urls === undefined) return 'surely';
    if (url === undefined || !isPlain)
      return host === undefined || this.#urls.some(each => each.mayBeAt(host)) ? 'maybe' : 'no';
    return strongest(this.#urls.map(each => each.match(url)));
  }
}

/** A purge of everything of a domain may clear pages of the domains below it. */
function domainMatch(named: string, host: string): Match {
  if (host === named || host.endsWith(`.${named}`)) return 'surely';
  return named.endsWith(`.${host}`) ? 'maybe' : 'no';
}

/** A pattern of URLs, whatever their scheme. Servers may not tell upper from lower case, nor `%61` from `a`: such a URL matches perhaps. */
class UrlPattern {
  readonly #host: string;
  readonly #exact: RegExp;
  readonly #loose: RegExp;

  constructor(text: string) {
    const bare = text.replace(/^[a-z]+:\/\//i, '');
    const source = bare
      .split(/(\*\*|\*)/)
      .map(part =>
        part === '**' ? '.*' : part === '*' ? '[^/?]*' : part.replace(/[.+^$()|[\]\\{}?]/g, '\\$&'),
      )
      .join('');
    this.#host = bare.split('/')[0]?.toLowerCase() ?? '';
    this.#exact = new RegExp(`^${source}$`, 's');
    this.#loose = new RegExp(`^${source}$`, 'is');
  }

  match(url: string): Match {
    if (this.#exact.test(url)) return 'surely';
    const path = url.split('?')[0] ?? '';
    return [url, path, decoded(url), decoded(path)].some(each => this.#loose.test(each)) ? 'maybe' : 'no';
  }

  mayBeAt(domain: string): boolean {
    return (
      this.#host.includes('*') ||
      domainMatch(domain, this.#host) !== 'no' ||
      domainMatch(this.#host, domain) !== 'no'
    );
  }
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

function weakest(matches: readonly Match[]): Match {
  return matches.includes('no') ? 'no' : matches.includes('maybe') ? 'maybe' : 'surely';
}

function strongest(matches: readonly Match[]): Match {
  return matches.includes('surely') ? 'surely' : matches.includes('maybe') ? 'maybe' : 'no';
}
