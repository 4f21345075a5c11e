import { isAbsolute, relative, resolve, sep } from 'node:path';
import { missingArgument } from '../../../../errors/usage.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import type { PurgeFlags } from '../flags.ts';
import { siteMapOf } from './site-source.ts';

export const COLUMNS = [
  { key: 'kind', title: 'Kind' },
  { key: 'target', title: 'Target' },
  { key: 'rule', title: 'Rule', whenPresent: true },
];

/** Prints the URLs and keys that a file leads to. The file need not exist: removed ones lead to URLs too. */
export async function explainFile(flags: PurgeFlags, context: Context): Promise<void> {
  const { explain: file } = flags;
  if (typeof file !== 'string') throw missingArgument('--explain requires a file, or --event');
  const domain = await context.domain(flags.domain);
  const [siteMap] = await siteMapOf(flags, domain, context);
  const path = pathInSite(file, flags, context);
  const effects = siteMap.effectsOf(path);
  const rule = siteMap.ruleOf(path);
  const named = rule === undefined ? {} : { rule: `${rule.number}: ${rule.files}` };
  const rows = [
    ...(effects?.urls ?? []).map(target => ({ kind: 'URL', target, ...named })),
    ...(effects?.listings ?? []).map(target => ({ kind: 'listing', target, ...named })),
    ...(effects?.keys ?? []).map(target => ({ kind: 'key', target, ...named })),
    ...(effects?.rule?.affects ?? []).map(({ text }) => ({ kind: 'affected', target: text, ...named })),
  ];
  const nothing = rule === undefined ? `${path} matches no rule` : `rule ${rule.number} ignores ${path}`;
  await context.out.print(rows, { columns: COLUMNS, empty: nothing });
  context.log.note(`${pluralize(rows.length, 'target')}; nothing was sent`);
}

/** Relative to the folder of `--changed`, where the file is in it. */
function pathInSite(file: string, { changed }: PurgeFlags, { io }: Context): string {
  const slashes = (path: string) => path.split(sep).join('/').replace(/^\.\//, '');
  if (changed === undefined) return slashes(file);
  const path = relative(resolve(io.cwd, changed), resolve(io.cwd, file));
  return path.startsWith('..') || isAbsolute(path) ? slashes(file) : slashes(path);
}
