import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from './built.js';
import { say, start, statusOf } from './process.js';

const MOST_MB = 200;

/** Many sites, three years: planned in seconds, and synced in memory that does not grow. */
export async function manySites(count, root) {
  const folder = join(root, 'many');
  const home = join(root, 'many-home');
  for (const each of [folder, home]) mkdirSync(each);
  const sandbox = await startSandbox({
    clock: '2026-03-14T12:00:00Z',
    fixtures: {
      domains: Array.from({ length: count }, (_, at) => ({
        domain: `site-${at + 1}.example.com`,
        id: at + 1,
      })),
    },
  });
  const process_ = {
    cwd: folder,
    home,
    env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey },
  };
  writeFileSync(
    join(folder, 'gatectl.sync.yaml'),
    `destination: lake\ntables:\n  pages:\n    data_set: pageview\n    metrics: [visits, revenue]\n    start: 2023-03-01\n    end: 2026-02-28\n`,
  );
  try {
    const plan = async () => {
      const began = performance.now();
      const { code, stderr } = await start(['bda', 'sync', 'plan', '-o', 'ndjson'], process_).ended;
      if (code !== 0) throw new Error(`a plan of ${count} sites: exit ${code}\n${stderr}`);
      return `${((performance.now() - began) / 1000).toFixed(1)} s`;
    };
    const planned = await plan();
    const began = performance.now();
    const { child, ended } = start(['bda', 'sync', 'run', '--quiet'], process_);
    const memory = [];
    const sampling = setInterval(() => {
      sandbox.requests.length = 0;
      // The gateway allows a number of queries a minute.
      sandbox.clock.advance(10_000);
      const found = /VmRSS:\s+(\d+)/.exec(statusOf(child.pid));
      if (found !== null) memory.push(Number(found[1]) / 1024);
    }, 200);
    const { code, stderr } = await ended;
    clearInterval(sampling);
    if (code !== 0) throw new Error(`a run of ${count} sites: exit ${code}\n${stderr}`);
    const took = Math.round((performance.now() - began) / 1000);
    const [half, peak] = [Math.max(...memory.slice(0, memory.length / 2)), Math.max(...memory)];
    if (peak > MOST_MB) throw new Error(`a run of ${count} sites used ${Math.round(peak)} MB`);
    say(
      `${count} sites, 3 years: planned in ${planned}, synced in ${took} s with at most ${Math.round(peak)} MB (${Math.round(half)} MB in the first half), planned again in ${await plan()}`,
    );
  } finally {
    await sandbox.close();
  }
}
