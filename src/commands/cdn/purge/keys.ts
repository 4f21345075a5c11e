import { domainProblem, keyProblem } from '../../../apis/cdn/names.ts';
import { assertSuccess, clearKeysRequest, KEYS_PER_REQUEST } from '../../../apis/cdn/requests.ts';
import { GatectlError, UsageError } from '../../../errors/index.ts';
import { readList } from '../../../files/list.ts';
import type { ListColumn } from '../../../files/structured-list.ts';
import type { GatewayRequest } from '../../../http/request.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import { pasteNote, withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import type { Context } from '../../framework/context.ts';
import { listSource } from '../../framework/file-arguments.ts';
import { cdnSite, errorTextWarnings } from '../site.ts';
import { allowedSites } from './allowed-sites.ts';
import { printDryRun } from './dry-run.ts';
import type { PurgeFlags } from './flags.ts';
import { repeatLater } from './repeat.ts';
import { PurgeResult } from './result.ts';

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

  const startedAt = new Date(context.clock.now()).toISOString();
  if (flags.dryRun) return await printDryRun(await keyRequests(keys, domain, context), context);
  const result = new PurgeResult({ what: 'key', domain });
  result.addRequested(keys.length);
  await clearKeys(keys, domain, result, flags, context);
  const { recordPurge } = await import('./history.ts');
  await recordPurge({ startedAt, domain, what: 'key', ...result.outcome }, { keys }, context);
  await result.finish(context, flags);
}

/** The requests that clear keys of a domain. */
export async function keyRequests(
  keys: readonly string[],
  domain: string,
  context: Context,
): Promise<GatewayRequest[]> {
  const site = await cdnSite(context);
  return inGroups(keys).map(group => clearKeysRequest(site, group, domain));
}

function inGroups(keys: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(keys.length / KEYS_PER_REQUEST) }, (_, i) =>
    keys.slice(i * KEYS_PER_REQUEST, (i + 1) * KEYS_PER_REQUEST),
  );
}

/** Clears keys of a domain, and again after `--repeat-after`, and counts the outcome. Throws AuthError and InterruptedError. */
async function clearKeys(
  keys: readonly string[],
  domain: string,
  result: PurgeResult,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  await sendKeys(keys, domain, context, (group, error) => {
    result.addRequest();
    if (error === undefined) result.addCleared(group);
    else result.addFailed(group, error);
  });
  await repeatLater(flags, context, async () => {
    await sendKeys(keys, domain, context, (group, error) => {
      if (error !== undefined) result.addFailedRepeat(group, error);
    });
  });
}

/** Clears keys of a domain in groups, and passes on the outcome of each. Throws AuthError and InterruptedError. */
export async function sendKeys(
  keys: readonly string[],
  domain: string,
  context: Context,
  onGroup: (group: readonly string[], error: GatectlError | undefined) => void,
): Promise<void> {
  const site = await cdnSite(context);
  const sender = await context.gateway();
  const onErrorText = errorTextWarnings(context);
  let cleared = 0;
  const clear = async (group: readonly string[]): Promise<GatectlError | undefined> => {
    try {
      assertSuccess(await sender.send(clearKeysRequest(site, group, domain)), onErrorText);
      return undefined;
    } catch (error) {
      if (error instanceof GatectlError && error.kind !== 'auth' && error.kind !== 'interrupted')
        return error;
      if (cleared > 0)
        context.log.note(`${groupDigits(cleared)} of ${pluralize(keys.length, 'key')} were cleared`);
      throw error;
    }
  };
  for (const group of inGroups(keys)) {
    const error = await clear(group);
    if (error === undefined) cleared += group.length;
    onGroup(group, error);
  }
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

/** The domain to purge, without a subdomain. Throws UsageError with what to type instead. */
export async function bareDomain(flag: string | undefined, context: Context): Promise<string> {
  const domain = await context.domain(flag);
  const found = domainProblem(domain);
  if (found === undefined) return domain;
  const { problem, hint = 'type a bare domain, such as example.com' } = found;
  throw new UsageError(`the domain ${domain} ${problem}`, { code: 'invalid_value', hints: [hint] });
}
