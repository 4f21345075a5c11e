import { describeKeySource } from '../../config/key-source.ts';
import { findProjectFile } from '../../config/project-file.ts';
import { resolveSettings } from '../../config/resolve.ts';
import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import { defineCommand, optional } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import { storedProfiles } from '../framework/profile-store.ts';

export const show = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'show every setting and where it comes from',
  description:
    'Shows each setting as a command would see it now, with its origin: a flag, an environment variable, the project file, the profile or the default. The key itself is never shown.',
  arguments: { name: optional('name', 'a profile (default: the one in use)', { completes: 'profile' }) },
  options: {},
  examples: {
    'gatectl profile show': 'the profile in use',
    'gatectl profile show staging': 'another one',
  },
  output: listOf({
    setting: ['string', "the setting's name"],
    value: ['string | number | boolean | null', 'its value now'],
    origin: [
      'string',
      'where the value comes from: a flag, an environment variable, a project file, a profile or the default',
    ],
  }),
  async run({ name }, context) {
    const { env } = context.io;
    const file = await storedProfiles(context);
    // Their warnings are those of the settings, which printing reads.
    const { project } = await findProjectFile(context.io);
    const settings = resolveSettings({ named: name, flags: context.globals.flags, env, file, project });
    const fromEnvironment = Boolean(env.GATECTL_API_KEY);
    const source = settings.profileKey?.source;
    const rows = [
      { setting: 'profile', value: settings.profile.value ?? null, origin: settings.profile.origin },
      {
        setting: 'key',
        value: fromEnvironment ? '(set)' : source === undefined ? null : describeKeySource(source),
        origin:
          fromEnvironment || source === undefined
            ? 'environment GATECTL_API_KEY'
            : `profile ${settings.profile.value}`,
      },
      ...SETTING_KEYS.map(key => {
        const setting: Setting<unknown> = SETTINGS[key];
        const { value, origin } = settings[key];
        return { setting: setting.name, value: value ?? setting.fallbackText ?? null, origin };
      }),
    ];
    await context.out.print(rows, {
      columns: [
        { key: 'setting', title: 'Setting', kind: 'text' },
        { key: 'value', title: 'Value', kind: 'text' },
        { key: 'origin', title: 'Origin', kind: 'text' },
      ],
    });
  },
});
