import { existingTimeZone, type Settings } from '../../config/resolve.ts';
import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import { missingSetting } from '../../errors/usage.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

const VARIABLES = [
  'GATECTL_PROFILE',
  'GATECTL_TRUST',
  'GATECTL_API_KEY',
  'GATECTL_CONFIG_DIR',
  'GATECTL_ENGINE',
  'GATECTL_PAGER',
  'GATECTL_SANDBOX_CLOCK',
  'GATECTL_SANDBOX_RESTATE',
  'GATECTL_READER_TOKEN',
  ...Object.values(SETTINGS).flatMap((setting: Setting<unknown>) => setting.environment ?? []),
];

const NO_GATEWAY_ADVICE = 'run gatectl login, or add --sandbox to try gatectl without a gateway';

/** Every setting with its value and origin. */
export function settingFindings(settings: Settings, context: Context): readonly Finding[] {
  const area = new Area('settings');
  const { profile } = settings;
  area.ok('profile', profile.value === undefined ? 'none' : `${profile.value} (${profile.origin})`);
  for (const key of SETTING_KEYS) {
    const setting: Setting<unknown> = SETTINGS[key];
    const { value, origin } = settings[key];
    if (key === 'baseUrl' && value === undefined) {
      area.wrong(setting.name, {
        error: missingSetting('no gateway configured'),
        advice: NO_GATEWAY_ADVICE,
      });
      continue;
    }
    const isEmbedded = context.globals.sandbox && (key === 'baseUrl' || key === 'domain');
    const shown = origin === 'default' ? (setting.fallbackText ?? value) : value;
    area.ok(
      setting.name,
      shown === undefined ? 'not set' : `${shown} (${isEmbedded ? 'the embedded gateway' : origin})`,
    );
  }
  try {
    existingTimeZone(settings);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    area.wrong('time-zone', { error, advice: error.hints });
  }
  const unknown = Object.keys(context.io.env).filter(
    name => /^GATECTL/i.test(name) && !VARIABLES.includes(name),
  );
  for (const name of unknown) {
    const meant = nearest(name, VARIABLES);
    area.warning(
      'environment',
      `${name} is not a variable of gatectl`,
      meant === undefined ? 'unset it' : `did you mean ${meant}?`,
    );
  }
  return area.findings;
}

/** Names only: the value of a mistyped name may be the key. */
