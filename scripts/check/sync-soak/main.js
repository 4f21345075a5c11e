// Syncs that are killed at random, while the gateway breaks connections and restates figures: after one more run, the destination has
// to equal the source cell for cell, read by DuckDB, with no file that does not belong there, and a reader who polls the lake meanwhile
// must never see a wrong number of rows. Then a disk fills up, and SYNC_SITES sites (100) are synced in constant memory. SYNC_KILLS says
// how many kills (50; of a lake, at most 10), SYNC_SEED repeats a sequence.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fullDisk } from './full-disk.js';
import { killSyncs } from './kills.js';
import { manySites } from './many-sites.js';
import { say } from './process.js';

const KILLS = Number(process.env.SYNC_KILLS ?? 50);
const SEED = Number(process.env.SYNC_SEED ?? Date.now() % 1_000_000);
/** Sites of the sync whose memory is measured. */
const MANY = Number(process.env.SYNC_SITES ?? 100);
const KINDS = (process.env.SYNC_DESTINATIONS ?? 'lake,duckdb').split(',');
/** Kills of syncs into a lake are simulated (test/simulation): these show that a process and a disk do likewise, and what a reader sees. */
const LAKE_KILLS = 10;

let state = (SEED % 2_147_483_646) + 1;
/** A number from 0 to 1, the same sequence for the same seed. */
const random = () => {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
};

const root = mkdtempSync(join(tmpdir(), 'gatectl-sync-soak-'));
const began = performance.now();
try {
  for (const kind of KINDS) {
    const kills = kind === 'lake' ? Math.min(KILLS, LAKE_KILLS) : KILLS;
    await killSyncs({ kind, kills, root, random });
  }
  await fullDisk(root);
  await manySites(MANY, root);
  say(`sync: ${Math.round((performance.now() - began) / 1000)} s, SYNC_SEED=${SEED}`);
} catch (error) {
  say(`SYNC_SEED=${SEED}\n${error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}
