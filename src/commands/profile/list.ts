import { defineCommand } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import { profileRecords } from '../framework/profile-store.ts';
import { COLUMNS_FLAG } from '../framework/shared-flags.ts';

export const listProfiles = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the stored profiles',
  options: COLUMNS_FLAG,
  examples: { "gatectl profile list --jq '.[].name'": 'print the names only' },
  output: listOf({
    name: ['string', "the profile's name"],
    inUse: ['boolean', 'whether commands use it when none is named'],
    baseUrl: ['string | null', 'the root of its gateway'],
    domain: ['string | null', 'its default domain'],
    key: ['string', 'where its API key comes from; never the key'],
  }),
  async run(flags, context) {
    const rows = await profileRecords(context);
    await context.out.print(rows, {
      columns: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'inUse', title: 'In use', kind: 'text' },
        { key: 'baseUrl', title: 'Base URL', kind: 'text' },
        { key: 'domain', title: 'Domain', kind: 'text' },
        { key: 'key', title: 'Key', kind: 'text' },
      ],
      chosen: flags.columns,
      empty: 'no profiles; add one with gatectl login',
    });
  },
});
