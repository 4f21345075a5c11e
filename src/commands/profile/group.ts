import type { Group } from '../framework/define-command.ts';
import { add } from './add.ts';
import { path, remove, set, unset, use } from './change.ts';
import { listProfiles } from './list.ts';
import { show } from './show.ts';

export const profileGroup: Group = {
  name: 'profile',
  summary: 'keep gateways, keys and defaults under names',
  commands: [add, listProfiles, show, use, set, unset, remove, path],
};
