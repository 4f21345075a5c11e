import type { Group } from '../framework/define-command.ts';
import { add } from './add.ts';
import { path, remove, set, unset, use } from './change.ts';
import { listProfiles } from './list.ts';
import { setKeyCommand } from './set-key.ts';
import { show } from './show.ts';

export const profileGroup: Group = {
  name: 'profile',
  summary: 'manage connection profiles',
  commands: [add, listProfiles, show, use, set, unset, setKeyCommand, remove, path],
};
