import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { parseYamlDocument, yamlProblem } from '../../../config/yaml-document.ts';
import { UsageError } from '../../../errors/index.ts';
import { nearest } from '../../../errors/nearest.ts';
import { cleanUrl } from '../clean-url.ts';
import { keyProblem } from '../names.ts';
import { type PathPattern, pathPattern, placeholdersOf } from './path-pattern.ts';

/** What files of one pattern lead to. The first rule that matches a file decides. */
export interface MapRule {
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly files: string;
  readonly matches: PathPattern;
  /** Templates of the URLs that the file is the content of. */
  readonly urls: readonly string[];
  /** Templates of the URLs that show something of the file: listing pages, feeds. */
  readonly listings: readonly string[];
  /** Templates of surrogate keys. */
  readonly keys: readonly string[];
  /** Patterns of the paths of pages that all depend on the file, such as those of a template. */
  readonly affects: readonly { readonly text: string; readonly matches: PathPattern }[];
  /** Whether its files lead to nothing. */
  readonly ignore: boolean;
  /** Whether it may match no file. */
  readonly optional: boolean;
}

/** Rules from files to URLs and surrogate keys. */
export interface PurgeMap {
  /** The URL that paths are below, without a slash at the end. */
  readonly site: string | undefined;
  /** The folder whose files are mapped, with a slash at the end; empty for all. */
  readonly root: string;
  readonly rules: readonly MapRule[];
  /** The path of a file with redirects: lines of `FROM TO [STATUS]`. */
  readonly redirects: string | undefined;
  /** What a file that no rule matches leads to: the URL of its path, or nothing. */
  readonly unmatched: 'url' | 'ignore' | undefined;
}

/** The map of a command line without one. */
export const NO_MAP: PurgeMap = {
  site: undefined,
  root: '',
  rules: [],
  redirects: undefined,
  unmatched: undefined,
};

const FIELDS = ['site', 'root', 'rules', 'redirects', 'unmatched'];
const RULE_FIELDS = ['files', 'urls', 'listings', 'keys', 'affects', 'ignore', 'optional'];

/** Parses a map. Throws UsageError, with line and column, for invalid YAML, unknown fields and wrong values. */
export function parsePurgeMap(path: string, text: string): PurgeMap {
  const invalidAt = (place: string, problem: string) =>
    new UsageError(`${path}:${place}: ${problem}`, { code: 'invalid_input', hints: ['nothing was sent'] });
  const { document, placeAt } = parseYamlDocument(text, (place, problem) =>
    invalidAt(place, yamlProblem(problem)),
  );
  const invalid = (node: Node | null | undefined, problem: string) =>
    invalidAt(placeAt(node?.range?.[0] ?? 0), problem);

  const fieldsOf = (node: Node | null, known: readonly string[], what: string): Map<string, Node | null> => {
    if (!isMap<Node, Node | null>(node)) throw invalid(node, `expected ${what}`);
    const fields = new Map<string, Node | null>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (!known.includes(name)) {
        const similar = nearest(name, known);
        const hint =
          similar === undefined ? `the fields are: ${known.join(', ')}` : `did you mean ${similar}?`;
        throw invalid(key, `unknown field ${JSON.stringify(name)}; ${hint}`);
      }
      fields.set(name, value);
    }
    return fields;
  };
  const textOf = (node: Node | null, name: string): string => {
    if (isScalar(node) && typeof node.value === 'string' && node.value !== '') return node.value;
    throw invalid(node, `${name} must be a text`);
  };
  const textsOf = (node: Node | null | undefined, name: string): string[] => {
    if (node === undefined || node === null) return [];
    return isSeq<Node>(node) ? node.items.map(item => textOf(item, name)) : [textOf(node, name)];
  };
  const flagOf = (node: Node | null | undefined, name: string): boolean => {
    if (node === undefined) return false;
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    throw invalid(node, `${name} must be true or false`);
  };
  const patternOf = (node: Node | null | undefined, pattern: string): PathPattern => {
    const compiled = pathPattern(pattern);
    if (typeof compiled === 'string') throw invalid(node, `the pattern ${pattern} ${compiled}`);
    return compiled;
  };

  const fields = fieldsOf(document.contents, FIELDS, 'fields such as rules');
  const site = fields.has('site') ? siteOf(textOf(fields.get('site') ?? null, 'site')) : undefined;
  if (site === null) throw invalid(fields.get('site'), 'site must be a URL such as https://www.example.com');
  const rulesNode = fields.get('rules');
  if (rulesNode !== undefined && !isSeq<Node>(rulesNode))
    throw invalid(rulesNode, 'rules must be a list of rules');

  const ruleOf = (node: Node, index: number): MapRule => {
    const rule = fieldsOf(node, RULE_FIELDS, 'a rule with files');
    if (!rule.has('files')) throw invalid(node, 'the rule has no files');
    const files = textOf(rule.get('files') ?? null, 'files');
    const [urls, listings, keys, affects] = ['urls', 'listings', 'keys', 'affects'].map(name =>
      textsOf(rule.get(name), name),
    ) as [string[], string[], string[], string[]];
    const ignore = flagOf(rule.get('ignore'), 'ignore');
    const leadsTo = urls.length + listings.length + keys.length + affects.length;
    if (ignore ? leadsTo > 0 : leadsTo === 0)
      throw invalid(
        node,
        ignore
          ? 'a rule with ignore leads to nothing'
          : 'the rule leads to nothing: add urls, listings, keys or affects, or ignore: true',
      );
    const known = placeholdersOf(files).map(name => name.replace(/\*\*$/, ''));
    for (const name of [...urls, ...listings, ...keys].flatMap(placeholdersOf)) {
      if (!known.includes(name)) throw invalid(node, `{${name}} is not in the pattern ${files}`);
    }
    for (const url of [...urls, ...listings]) {
      const problem = urlProblem(url, site);
      if (problem !== undefined) throw invalid(node, `the URL ${url} ${problem}`);
    }
    for (const key of keys) {
      const problem = keyProblem(key.replace(/\{[^{}]*\}/g, 'x'));
      if (problem !== undefined) throw invalid(node, `the key ${key} ${problem}`);
    }
    return {
      number: index + 1,
      files,
      matches: patternOf(rule.get('files'), files),
      urls,
      listings,
      keys,
      affects: affects.map(text => ({ text, matches: patternOf(rule.get('affects'), text) })),
      ignore,
      optional: flagOf(rule.get('optional'), 'optional'),
    };
  };

  const unmatched = fields.has('unmatched')
    ? textOf(fields.get('unmatched') ?? null, 'unmatched')
    : undefined;
  if (unmatched !== undefined && unmatched !== 'url' && unmatched !== 'ignore')
    throw invalid(fields.get('unmatched'), 'unmatched must be url or ignore');
  const root = fields.has('root') ? textOf(fields.get('root') ?? null, 'root') : '';
  return {
    site,
    root: root === '' ? '' : `${root.replace(/^\.?\/+|\/+$/g, '')}/`.replace(/^\/$/, ''),
    rules: rulesNode === undefined ? [] : rulesNode.items.map(ruleOf),
    redirects: fields.has('redirects')
      ? textOf(fields.get('redirects') ?? null, 'redirects').replace(/^\.?\//, '')
      : undefined,
    unmatched,
  };
}

/** The URL that paths are appended to; null for what is no such URL. */
function siteOf(text: string): string | null {
  const clean = cleanUrl(text, undefined);
  if ('problem' in clean || clean.url.includes('?')) return null;
  return clean.url.replace(/\/+$/, '');
}

function urlProblem(template: string, site: string | null | undefined): string | undefined {
  const example = template.replace(/\{[^{}]*\}/g, 'x');
  if (example.startsWith('/') && !example.startsWith('//')) return undefined;
  const clean = cleanUrl(example, undefined);
  if ('url' in clean) return undefined;
  return site ? `${clean.problem}, or a path that starts with /` : clean.problem;
}
