import type { Operation, Stage } from '../history.ts';
import type { Exchange } from '../network.ts';
import { clearedBy } from './purge.ts';

const FOLDER = '/data/dist';
/** More than a request takes. */
const PAGES = 110;
const MOST_COMMANDS = 30;
const REJECTED = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"error":"rejected"}',
};

/**
 * Deploys, after each of which the pages that changed are purged, by processes that are ended at any step: a purge that succeeds leaves
 * no page in the cache as it was before, however those before it ended.
 */
export const changed: Operation = {
  name: 'changed',
  steps: 600,
  async run(stage) {
    const { world, machine, disk, must } = stage;
    const pages = Array.from({ length: PAGES }, (_, index) => `page-${index}.html`);
    /** The version of each URL that was deployed last, and the one in the cache. */
    const deployed = new Map<string, number>();
    const cached = new Map<string, number | undefined>();
    const deploy = (count: number) => {
      const from = world.below(PAGES);
      // Some deploys revert another one.
      const version = world.below(3);
      for (let index = 0; index < count; index += 1) {
        const page = pages[(from + index) % PAGES] as string;
        disk.put(`${FOLDER}/${page}`, `${page} ${version}`);
        deployed.set(`https://example.com/${page}`, version);
      }
    };
    disk.makeFolder(FOLDER, 0o755);
    deploy(PAGES);
    machine.onExchange = exchange => {
      for (const url of isOfDomain(exchange) ? deployed.keys() : clearedBy(exchange))
        cached.set(url, deployed.get(url));
    };
    machine.respond = ({ path }) =>
      path.endsWith('clearcache') && world.random() < 0.3 ? REJECTED : undefined;
    let isFirst = true;
    for (let rounds = 1 + world.below(3); rounds > 0; rounds -= 1) {
      for (let count = 0; ; count += 1) {
        must(count < MOST_COMMANDS, 'the changes are never purged');
        const code = await purgeOnce(stage, isFirst);
        if (code === 0) break;
        if (!isFirst && world.random() < 0.8) deploy(world.pick([1, 5, PAGES]));
      }
      for (const [url, version] of deployed)
        must(cached.get(url) === version, `${url} is stale after a purge`);
      isFirst = false;
      if (world.random() < 0.3) machine.cutPower();
      deploy(world.pick([0, 1, 5, PAGES]));
    }
  },
};

/** Whether the gateway purged everything. */
function isOfDomain({ path, status, reply }: Exchange): boolean {
  return path.endsWith('/purgecache') && status === 200 && /"success":true/i.test(reply ?? '');
}

/** Purges what changed, sometimes while another process does, or resumes what was interrupted; the exit code of the former. */
async function purgeOnce(stage: Stage, isFirst: boolean): Promise<number | undefined> {
  const { world, must } = stage;
  const args = ['cdn', 'purge', '--changed', FOLDER, '--quiet', ...(isFirst ? ['--or-all', '--yes'] : [])];
  if (world.random() < 0.2) {
    const resumed = await stage.command(['cdn', 'purge', '--resume', '--quiet']);
    must(resumed.code !== 1, resumed.stderr());
  }
  const runs = [stage.start([...args, '--concurrency', world.pick(['1', '2'])])];
  if (world.random() < 0.2) runs.push(stage.start(args));
  await stage.until(() => runs.every(({ process }) => process.isDead));
  for (const { code, stderr } of runs) must(code !== 1, stderr());
  return runs.some(({ code }) => code === 0) ? 0 : undefined;
}
