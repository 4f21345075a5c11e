import { keyProblem } from '../../../apis/cdn/surrogate-keys.ts';
import { UsageError } from '../../../errors/index.ts';
import { readList } from '../../../files/list.ts';
import type { ListColumn } from '../../../files/structured-list.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { pasteNote, withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import type { Context } from '../../framework/context.ts';
import { listSource } from '../../framework/file-arguments.ts';
import { allowedSites } from './allowed-sites.ts';
import { bareDomain } from './bare-domain.ts';
import type { PurgeFlags } from './flags.ts';
import { purgeList, type TargetList } from './urls.ts';

const KEY_NAMES: ReadonlySet<string> = new Set(
  ['key', 'keys', 'tag', 'tags'].flatMap(name => [
    name,
    `surrogate-${name}`,
    `surrogate_${name}`,
    `cache-${name}`,
  ]),
);

/** In a plain list every line without a named column is a key, whatever else is wrong with it. */
const KEY_COLUMN: ListColumn = {
  what: 'surrogate key',
  names: KEY_NAMES,
  isValue: text =>
    !text.split(/[,;\t]/).some(cell =>
      KEY_NAMES.has(
        cell
          .trim()
          .replace(/^"(.*)"$/, '$1')
          .toLowerCase(),
      ),
    ),
  byName: true,
};

/** Clears surrogate keys of one domain. */
export async function purgeKeys(flags: PurgeFlags, context: Context): Promise<void> {
  const keys = [...new Set(await namedKeys(flags, context))];
  const problems = keys.flatMap(key => {
    const problem = keyProblem(key);
    return problem === undefined ? [] : [`the key ${JSON.stringify(key)} ${problem}`];
  });
  if (problems.length > 0)
    throw new UsageError(pluralize(problems.length, 'invalid surrogate key'), {
      code: 'invalid_value',
      hints: problems.slice(0, 20),
    });
  if (keys.length === 0)
    throw new UsageError('the list contains no surrogate key', {
      code: 'missing_argument',
      hints: ['type --key KEY'],
    });
  const domain = await bareDomain(flags.domain, context);
  const list: TargetList = {
    what: 'key',
    owner: domain,
    domain,
    async collect(journal) {
      for (const key of keys) {
        journal.add(key);
        await journal.flushIfFull();
      }
    },
  };
  await purgeList(list, flags, context);
}

/** The keys that the flags name. */
async function namedKeys(flags: PurgeFlags, context: Context): Promise<string[]> {
  const { key, keyFile, keysFromPage } = flags;
  if (keyFile !== undefined) {
    const source = listSource(keyFile) ?? keyFile;
    const keys: string[] = [];
    const input = source === '-' ? context.io.stdin : source;
    for await (const block of readList(input, KEY_COLUMN, { signal: context.signal }))
      for (const { text, place, fault } of block) {
        if (fault !== undefined)
          throw new UsageError(`line ${place} of ${keyFile} is not UTF-8 text`, { code: 'invalid_input' });
        keys.push(unpasted(text, context));
      }
    return keys;
  }
  if (keysFromPage === undefined)
    return key.flatMap(text => text.split(',')).map(each => unpasted(each, context));
  if (!/^https?:\/\//i.test(keysFromPage) || !URL.canParse(keysFromPage)) {
    throw new UsageError('--keys-from-page is not an http or https URL', {
      code: 'invalid_value',
      hints: ['type the full URL of a page'],
    });
  }
  const isAllowed = await allowedSites(keysFromPage, flags, context);
  const page = await (await context.pages()).get(keysFromPage, isAllowed);
  page.drop();
  const keys = (page.headers['surrogate-key'] ?? '').split(/\s+/).filter(each => each !== '');
  if (keys.length > 0) return keys;
  throw new UsageError(`${keysFromPage} has no Surrogate-Key header (status ${page.status})`, {
    hints: ['the CDN may remove it: request the page from the origin, or name the keys with --key'],
  });
}

/** A key that is damaged inside stays as it is, and is rejected with the other invalid ones. */
function unpasted(key: string, context: Context): string {
  const pasted = withoutPasteDamage(key);
  if ('problem' in pasted) return key;
  if (pasted.removed.length > 0) context.log.note(pasteNote(`the key ${pasted.value}`, pasted.removed));
  return pasted.value;
}
