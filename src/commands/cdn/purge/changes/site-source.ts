import { join, resolve } from 'node:path';
import type { GitHistory, Targets } from '../../../../apis/cdn/changes/plan.ts';
import { NO_MAP, type PurgeMap, parsePurgeMap } from '../../../../apis/cdn/changes/purge-map.ts';
import { SiteMap, type Snapshot } from '../../../../apis/cdn/changes/snapshot.ts';
import { UsageError } from '../../../../errors/index.ts';
import { readFile } from '../../../../files/disk.ts';
import { fileError } from '../../../../files/file-error.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import type { PurgeFlags } from '../flags.ts';
import type { Revisions } from './git.ts';

/** The site that is deployed now. */
export interface SiteSource {
  readonly snapshot: Snapshot;
  readonly siteMap: SiteMap;
  /** Of `--git`. */
  readonly commit?: string;
  /** The site at the commit that `--git BASE..REF` names. */
  readonly base?: { readonly snapshot: Snapshot; readonly commit: string };
  /** The files that differ from a commit, for `--git`. */
  differing?(commit: string): Promise<readonly string[]>;
  /** What happened between a commit and this one; undefined where that commit is not in the repository. */
  history?(commit: string, alsoKnown: Iterable<string>): Promise<GitHistory | undefined>;
}

/** The map of `--map`, or the one that maps every file to its own path. Throws UsageError and FileError. */
export async function siteMapOf(
  flags: PurgeFlags,
  domain: string,
  context: Context,
): Promise<[SiteMap, PurgeMap]> {
  const map = flags.map === undefined ? NO_MAP : await readMap(flags.map, context);
  // A repository holds sources as well; a built site holds pages only.
  const unmatched = flags.git === undefined ? 'url' : flags.map === undefined ? 'published' : 'ignore';
  const siteMap = new SiteMap(map, `https://${domain}`, unmatched);
  if (map.site === undefined)
    context.log.note(`files are pages below ${siteMap.site}/; a map can name another site`);
  return [siteMap, map];
}

/** The map of a file. Throws UsageError and FileError. */
export async function readMap(name: string, { io }: Pick<Context, 'io'>): Promise<PurgeMap> {
  const text = await readFile(resolve(io.cwd, name), 'utf8').catch(error => {
    throw fileError(name, error, 'read');
  });
  return parsePurgeMap(name, text);
}

/** Reads the site that the flags name; `revisions` are those of `--git`. Throws UsageError and FileError. */
export async function siteSource(
  flags: PurgeFlags,
  domain: string,
  revisions: Revisions | undefined,
  context: Context,
): Promise<SiteSource> {
  const [siteMap, map] = await siteMapOf(flags, domain, context);
  const source =
    revisions === undefined
      ? await folderSource(resolve(context.io.cwd, flags.changed ?? ''), siteMap, map, context)
      : await gitSource(revisions, siteMap, map, context);
  assertUseful(source.snapshot, flags);
  const { unmapped, files } = source.snapshot;
  if (unmapped > 0) context.log.note(`${pluralize(unmapped, 'file')} of ${files} match no rule`);
  return source;
}

async function folderSource(
  folder: string,
  siteMap: SiteMap,
  map: PurgeMap,
  context: Context,
): Promise<SiteSource> {
  const { folderFiles } = await import('./folder-files.ts');
  const files = await folderFiles(folder, context.signal);
  const redirects =
    map.redirects === undefined
      ? undefined
      : await textIn(join(folder, map.root, map.redirects), map.redirects);
  checkRedirects(redirects ?? '', siteMap, map, context);
  return { siteMap, snapshot: siteMap.snapshot(files, redirects) };
}

async function textIn(path: string, name: string): Promise<string> {
  return await readFile(path, 'utf8').catch(error => {
    throw fileError(name, error, 'read');
  });
}

async function gitSource(
  { repository, commit, base }: Revisions,
  siteMap: SiteMap,
  map: PurgeMap,
  context: Context,
): Promise<SiteSource> {
  const snapshotAt = async (at: string) => {
    const redirects =
      map.redirects === undefined ? '' : await repository.content(at, map.root + map.redirects);
    const files = await repository.files(at);
    for (const { path, unread } of files)
      if (unread !== undefined && !siteMap.isReadElsewhere(path)) throw unreadContent(path, unread);
    return { files, snapshot: siteMap.snapshot(files, redirects), redirects };
  };
  const { files, snapshot, redirects = '' } = await snapshotAt(commit);
  checkRedirects(redirects, siteMap, map, context);
  return {
    siteMap,
    snapshot,
    commit,
    ...(base !== undefined && { base: { commit: base, snapshot: (await snapshotAt(base)).snapshot } }),
    differing: from => repository.differing(from, commit),
    async history(from, alsoKnown) {
      const relation = await repository.relation(from, commit);
      if (relation === undefined) return undefined;
      const changed = new Set(relation === 'same' ? [] : await repository.touched(from, commit));
      // A link that is not in this commit was changed itself.
      const links = files.filter(({ via = [] }) => via.some(path => changed.has(path)));
      const touched = [...changed, ...links.map(({ path }) => path)];
      const { urls, keys } = targetsOf(touched, siteMap, snapshot, alsoKnown);
      const list = map.root + (map.redirects ?? '');
      const lists = touched.includes(list) ? await repository.versions(from, commit, list) : [];
      const redirecting = lists.flatMap(text => siteMap.redirectsIn(text).map(redirect => redirect.from));
      return { relation, touched: { urls: [...urls, ...redirecting], keys } };
    },
  };
}

function unreadContent(path: string, what: string): UsageError {
  return new UsageError(`${JSON.stringify(path)} is ${what}, so its changes are not known`, {
    code: 'invalid_input',
    hints: [
      `nothing was sent: add a rule with files: ${path} and affects or ignore: true, or use --changed DIR`,
    ],
  });
}

/** Warns about lines of the file of redirects that name no single URL. Throws UsageError for a line that is no redirect. */
function checkRedirects(text: string, siteMap: SiteMap, { redirects }: PurgeMap, { log }: Context): void {
  const { unmapped, malformed } = siteMap.redirectLines(text);
  const [first] = malformed;
  if (first !== undefined)
    throw new UsageError(`${redirects}:${first.line}: not a redirect: ${first.text}`, {
      code: 'invalid_input',
      hints: ['nothing was sent: type FROM TO [STATUS], such as /old /new 301'],
    });
  for (const { line, text: redirect } of unmapped.slice(0, MAX_WARNINGS))
    log.warn(`${redirects}:${line}: names no single URL of the site, so changes are not purged: ${redirect}`);
  const more = unmapped.length - MAX_WARNINGS;
  if (more > 0) log.warn(`${redirects}: the same applies to ${pluralize(more, 'more line')}`);
}

const MAX_WARNINGS = 5;

/** Everything that files lead to, including pages that are affected by their rules. */
function targetsOf(
  paths: Iterable<string>,
  siteMap: SiteMap,
  snapshot: Snapshot,
  alsoKnown: Iterable<string>,
): Targets {
  const urls = new Set<string>();
  const keys = new Set<string>();
  const affecting = new Set<NonNullable<ReturnType<SiteMap['ruleOf']>>>();
  for (const path of paths) {
    const effects = siteMap.effectsOf(path);
    if (effects === undefined) continue;
    for (const url of [...effects.urls, ...effects.listings]) urls.add(url);
    for (const key of effects.keys) keys.add(key);
    if (effects.rule !== undefined && effects.rule.affects.length > 0) affecting.add(effects.rule);
  }
  if (affecting.size > 0) {
    for (const url of new Set([...snapshot.urls.keys(), ...alsoKnown]))
      if ([...affecting].some(rule => siteMap.isAffected(url, rule))) urls.add(url);
  }
  return { urls: [...urls], keys: [...keys] };
}

/** What a map is. */
export const MAP_HINT =
  'add --map FILE: rules from files to the URLs that show them, such as content/{slug}.md to /{slug}/ (gatectl docs purge-changes#from-files-to-urls)';

/** Throws UsageError for rules that match nothing, and for a site without pages. */
function assertUseful({ unused, urls, keys }: Snapshot, flags: PurgeFlags): void {
  const [rule, ...others] = unused;
  if (rule !== undefined) {
    const more = others.length === 0 ? '' : `, and ${pluralize(others.length, 'more rule')}`;
    throw new UsageError(
      `rule ${rule.number} of ${flags.map} (files: ${rule.files}) matches no file${more}`,
      {
        code: 'invalid_input',
        hints: ['nothing was sent: correct the pattern, or add optional: true to the rule'],
      },
    );
  }
  if (urls.size + keys.size === 0)
    throw new UsageError(`no file of ${flags.changed ?? flags.git} purges a URL or a key`, {
      code: 'invalid_input',
      hints:
        flags.map === undefined
          ? ['nothing was sent', ...(flags.git === undefined ? [] : [MAP_HINT])]
          : [`nothing was sent: check the rules of ${flags.map}`],
    });
}
