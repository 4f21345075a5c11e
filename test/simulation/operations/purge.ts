import { createHash } from 'node:crypto';
import type { Operation, Stage } from '../history.ts';
import type { Exchange } from '../network.ts';
import type { Run } from '../program.ts';

/** Where journals are, and where they are if they cannot be there. */
const FOLDERS = ['/home/user/.local/state/gatectl/purges', '/tmp/gatectl-purges-1000'];
const LOG = '/home/user/.local/state/gatectl/log';
const BATCH = 100;
/** Commands until all faults are over. */
const MOST_COMMANDS = 14;

/** A journal as it is on the disk. */
interface Journal {
  readonly folder: string;
  readonly urls: readonly string[];
  /** Indices of confirmed URLs. */
  readonly confirmed: ReadonlySet<number>;
  readonly isSealed: boolean;
}

/** The targets of the purges that a gateway carried out. */
export function clearedBy({ body, path, status, reply }: Exchange): readonly string[] {
  if (!path.includes('clearcache') || status !== 200 || !/"success":true/i.test(reply ?? '')) return [];
  const { url, urls } = JSON.parse(body) as { readonly url?: string; readonly urls?: readonly string[] };
  return urls ?? (url === undefined ? [] : [url]);
}

const checksum = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 32);

function journals({ disk }: Stage): Journal[] {
  const isJournal = (name: string) => !name.startsWith('.') && !name.endsWith('.lock');
  const all = FOLDERS.flatMap(parent =>
    disk
      .names(parent)
      .filter(isJournal)
      .map(name => `${parent}/${name}`),
  );
  return all.map(folder => {
    const [head = '', seal = ''] = (disk.text(`${folder}/head`) ?? '').split('\n');
    const isSealed = head !== '' && checksum(head) === seal;
    const urls = (disk.text(`${folder}/urls`) ?? '').split('\n').filter(Boolean);
    const confirmed = new Set<number>();
    const done = disk.text(`${folder}/done`) ?? '';
    for (const [, from, count, sum] of done.matchAll(/^(\d+) (\d+) ([0-9a-f]{8})$/gm)) {
      if (checksum(`${seal} ${from} ${count}`).startsWith(sum as string))
        for (let at = Number(from); at < Number(from) + Number(count); at += 1) confirmed.add(at);
    }
    return { folder, urls, confirmed, isSealed };
  });
}

/** A purge of a list that is ended at any step, and resumed until nothing is left. */
export const purge: Operation = {
  name: 'purge',
  steps: 150,
  async run(stage) {
    const { world, machine } = stage;
    const urls = Array.from(
      { length: BATCH + 1 + world.below(2 * BATCH) },
      (_, index) => `https://example.com/${index}`,
    );
    const concurrency = world.pick([1, 2]);
    const times = new Map<string, number>();
    let confirmed: ReadonlySet<string> = new Set();
    machine.onExchange = exchange => {
      for (const url of clearedBy(exchange)) {
        times.set(url, (times.get(url) ?? 0) + 1);
        stage.must(!confirmed.has(url), `${url} was cleared again although it was confirmed`);
      }
    };
    const first = ['cdn', 'purge', '-', '--quiet', '--concurrency', String(concurrency)];
    let isInterrupted = false;
    for (let count = 0; ; count += 1) {
      stage.must(count < MOST_COMMANDS, 'the purge never ends');
      const boots = machine.boots;
      const run = isInterrupted
        ? await stage.command(['cdn', 'purge', '--resume', '--quiet', '--concurrency', String(concurrency)])
        : await stage.command(first, urls.map(url => `${url}\n`).join(''));
      const wasCut = machine.boots > boots;
      stage.must(run.code !== 1, run.stderr());
      confirmed = checkJournals(stage, times);
      checkAnswered(stage, run, confirmed, concurrency, wasCut);
      if (run.code === 0) break;
      const sealed = journals(stage).filter(({ isSealed }) => isSealed);
      const hasSent = machine.exchanges.some(exchange => exchange.process === run.process);
      // A power cut may well empty the other folder, and take back what a process did not sync that was killed.
      const wasKilled = world.struck.some(each => each.startsWith('kill'));
      const isKept = !wasCut || !(stage.hasFailed || wasKilled);
      if (run.code === undefined && hasSent && isKept && times.size < urls.length)
        stage.must(sealed.length > 0, 'an interrupted purge cannot be resumed');
      isInterrupted = sealed.length > 0;
    }
    for (const url of urls) stage.must(times.has(url), `${url} was not cleared`);
    // Whether pages were lost or removed cannot be told apart.
    if (stage.disk.hasHoles) return;
    const verified = await stage.command(['log', 'verify', '--quiet']);
    stage.must(
      verified.code !== 7 && verified.code !== 5,
      `log verify: ${verified.stderr()}${verified.stdout()}`,
    );
  },
};

/** What is confirmed was cleared. Returns the URLs that are. */
function checkJournals(stage: Stage, times: ReadonlyMap<string, number>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const { urls, confirmed, isSealed } of journals(stage)) {
    if (!isSealed) continue;
    for (const index of confirmed) {
      const url = urls[index];
      if (url === undefined) continue;
      stage.must(times.has(url), `${url} was confirmed and not cleared`);
      all.add(url);
    }
  }
  return all;
}

/** What was answered is confirmed, but for the batches in hand, and what was sent is in the log. */
function checkAnswered(
  stage: Stage,
  { process }: Run,
  confirmed: ReadonlySet<string>,
  concurrency: number,
  wasCut: boolean,
): void {
  const sent = stage.machine.exchanges.filter(exchange => exchange.process === process);
  if (sent.length === 0) return;
  const log = stage.disk.names(LOG).map(name => stage.disk.text(`${LOG}/${name}`) ?? '');
  const intended = log
    .join('\n')
    .split('\n')
    .filter(line => line.includes('"event":"intended"') && line.includes(`"pid":${process.pid},`)).length;
  const requests = new Set(sent.map(({ body }) => body)).size;
  // Only the first entry of a command is durable, and a command whose log cannot be written goes on.
  if (!stage.hasFailed)
    stage.must(
      intended >= (wasCut ? 1 : requests),
      `${requests} requests were sent, ${intended} are in the log`,
    );
  if (wasCut || journals(stage).every(({ isSealed }) => !isSealed)) return;
  const lost = sent.filter(each => each.isDelivered && clearedBy(each).some(url => !confirmed.has(url)));
  stage.must(lost.length <= concurrency, `${lost.length} batches were cleared and not confirmed`);
}
