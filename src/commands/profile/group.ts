import type { Group } from '../define.ts';

export const profileGroup: Group = {
  name: 'profile',
  summary: 'keep gateways, keys and defaults under names',
  commands: [],
};
