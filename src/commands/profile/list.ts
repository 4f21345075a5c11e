import { describeKeySource } from '../../profile/key-source.ts';
import { leaf } from '../define.ts';
import { storedProfiles } from './store.ts';

export const listProfiles = leaf({
  name: 'list',
  summary: 'list the stored profiles',
  options: {},
  examples: [{ does: 'names alone', command: "gatectl profile list --jq '.[].name'" }],
  async run(_, context) {
    const { profiles, current, warnings } = await storedProfiles(context);
    for (const warning of warnings) context.warn(warning);
    const rows = [...profiles.values()].map(({ name, values, key }) => ({
      name,
      inUse: name === current,
      baseUrl: values.baseUrl ?? null,
      domain: values.domain ?? null,
      key: key === undefined ? 'environment GATECTL_API_KEY' : describeKeySource(key),
    }));
    await context.answer(rows, {
      columns: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'inUse', title: 'In use', kind: 'flag' },
        { key: 'baseUrl', title: 'Base URL', kind: 'text' },
        { key: 'domain', title: 'Domain', kind: 'text' },
        { key: 'key', title: 'Key', kind: 'text' },
      ],
      empty: 'no profile yet; store one with: gatectl profile add NAME --base-url URL',
    });
  },
});
