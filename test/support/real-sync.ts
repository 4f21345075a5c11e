import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';
import { emptyHome, gatectl, serveSandbox, startGatectl } from './gatectl.ts';
import { someTime } from './wait.ts';

/** Starts a sandbox for syncs in processes of their own; resolves to what they need to reach it. */
export async function sandboxForSyncs(
  args: readonly string[] = [],
): Promise<{ env: Record<string, string>; apiKey: string }> {
  const home = await emptyHome();
  onTestFinished(home.remove);
  const { server, baseUrl, apiKey } = await serveSandbox(['--clock', '2026-03-14T12:00:00Z', ...args], {
    env: home.env,
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server;
  });
  return { env: { ...home.env, GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey }, apiKey };
}

/** A temporary folder with a sync file. */
export function folderWith(syncFile: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl.sync.yaml'), syncFile);
  return folder;
}

/**
 * Runs a sync to its end in one folder, and in another one kills `kills` runs at seeded moments before the last. Returns the result of
 * the last.
 */
export async function syncWithKills(
  { calm, killed }: { readonly calm: string; readonly killed: string },
  env: Record<string, string>,
  { kills, seed }: { readonly kills: number; readonly seed: number },
) {
  const began = performance.now();
  expect((await gatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: calm })).stderr).not.toMatch(/error/);
  const took = performance.now() - began;
  let random = seed;
  for (let kill = 0; kill < kills; kill++) {
    const child = startGatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: killed });
    random = (random * 48_271) % 2_147_483_647;
    await someTime(took * (0.3 + (0.7 * (random % 1000)) / 1000));
    child.kill('SIGKILL');
    await child;
  }
  return await gatectl(['bda', 'sync', 'run', '--quiet'], { env, cwd: killed });
}

/** The data files below a lake, by path, with a hash of their content. */
export function filesOf(lake: string): Record<string, string> {
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'))
    .sort();
  return Object.fromEntries(
    files.map(path => [relative(lake, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}
