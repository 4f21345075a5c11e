import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { addProfile } from '../../src/profile/store.ts';

/** A process that adds profiles as fast as it can: `profile-writer FOLDER WORD COUNT`. */
const [folder = '', word = '', count = '0'] = process.argv.slice(2);
const options = {
  surroundings: {
    env: { GATECTL_CONFIG_DIR: folder },
    platform: process.platform,
    homedir: undefined,
    cwd: folder,
  },
  machine: {
    pid: process.pid,
    host: hostname(),
    isRunning: (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
    now: Date.now,
    sleep: (ms: number) => sleep(ms),
  },
};
for (let index = 0; index < Number(count); index++)
  await addProfile(options, `${word}${index}`, { settings: {}, key: undefined });
