import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from './built.js';
import { say, start } from './process.js';
import { configOf, DAY_MS, SITES, sourceRows } from './source.js';
import { checkFiles, compare, storedRows } from './stored.js';

/** A disk that is full: one clear error, nothing lost, and complete once there is space. Requires a file system of its own. */
export async function fullDisk(root) {
  const folder = join(root, 'small');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return say('a full disk: not tried, because a file system cannot be mounted here');
  }
  const sandbox = await startSandbox({
    clock: '2026-02-28T12:00:00Z',
    restates: true,
    fixtures: { domains: SITES.map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  const env = { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey };
  const home = join(root, 'small-home');
  mkdirSync(home);
  const sync = async (...args) =>
    await start(['bda', 'sync', ...args, '--quiet'], { cwd: folder, env, home }).ended;
  try {
    writeFileSync(join(folder, 'gatectl.sync.yaml'), configOf('lake', false));
    const first = await sourceRows(sandbox);
    let full = 0;
    for (const left of [8_000, 30_000, 60_000, 100_000, 200_000, 400_000, 2_000_000]) {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, statfsFree(folder) - left)));
      const { code, stderr } = await sync('run');
      if (code !== 0) {
        full += 1;
        if (code !== 9 || !/no space left|disk is full/i.test(stderr))
          throw new Error(`a full disk: exit ${code}\n${stderr}`);
      }
      rmSync(join(folder, 'filler'));
    }
    if (full === 0) throw new Error('the disk was never full');
    const clean = await sync('run');
    if (clean.code !== 0) throw new Error(`after a full disk: exit ${clean.code}\n${clean.stderr}`);
    compare(first, await storedRows({ kind: 'lake', folder }), 'after a full disk');
    checkFiles(folder, first);
    sandbox.clock.advance(20 * DAY_MS);
    const second = await sourceRows(sandbox);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, statfsFree(folder) - 24_000)));
    const { code, stderr } = await sync('run');
    if (code !== 9) throw new Error(`a full disk, with a lake: exit ${code}\n${stderr}`);
    // What is there is readable: each partition as it was, or as it is now.
    const held = await storedRows({ kind: 'lake', folder });
    for (const [key, lines] of held)
      if (![first, second].some(state => (state.get(key) ?? []).join() === lines.join()))
        throw new Error(`a full disk left ${key} with ${lines.length} rows`);
    rmSync(join(folder, 'filler'));
    const repaired = await sync('run');
    if (repaired.code !== 0)
      throw new Error(`after a full disk, with a lake: exit ${repaired.code}\n${repaired.stderr}`);
    compare(second, await storedRows({ kind: 'lake', folder }), 'after a full disk, with a lake');
    checkFiles(folder, second);
    say(`a full disk: ${full + 1} runs stopped with one line and exit 9, and the next one completed them`);
  } finally {
    await sandbox.close();
    execFileSync('umount', [folder]);
  }
}

function statfsFree(folder) {
  const [, line = ''] = execFileSync('df', ['-B1', '--output=avail', folder], { encoding: 'utf8' }).split(
    '\n',
  );
  return Number(line);
}
