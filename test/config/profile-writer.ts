import { saveProfile } from '../../src/config/store.ts';
import { processTable } from '../../src/files/process-table.ts';
import { someTime } from '../support/wait.ts';

/** A process that adds profiles as fast as it can: `profile-writer FOLDER WORD COUNT`. */
const [folder = '', word = '', count = '0'] = process.argv.slice(2);
const options = {
  system: {
    env: { GATECTL_CONFIG_DIR: folder },
    platform: process.platform,
    homedir: undefined,
    cwd: folder,
  },
  machine: {
    ...processTable(process),
    platform: process.platform,
    now: Date.now,
    sleep: someTime,
  },
};
for (let index = 0; index < Number(count); index++)
  await saveProfile(options, `${word}${index}`, { settings: {}, key: undefined });
