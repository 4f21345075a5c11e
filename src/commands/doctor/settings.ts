import { existingTimeZone, type Settings } from '../../config/resolve.ts';
import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

const VARIABLES = [
  'GATECTL_PROFILE',
  'GATECTL_API_KEY',
  'GATECTL_CONFIG_DIR',
  'GATECTL_SANDBOX_CLOCK',
  'GATECTL_READER_TOKEN',
  ...Object.values(SETTINGS).flatMap((setting: Setting<unknown>) => setting.environment ?? []),
];

const NO_GATEWAY =
  'store it: gatectl profile add NAME --base-url URL, or set GATECTL_BASE_URL; to try gatectl without a gateway, add --sandbox';

/** Every setting with its value and where that came from. */
export function settingFindings(settings: Settings, context: Context): readonly Finding[] {
  const area = new Area('settings');
  const { profile } = settings;
  area.ok('profile', profile.value === undefined ? 'none' : `${profile.value} (${profile.origin})`);
  for (const key of SETTING_KEYS) {
    const setting: Setting<unknown> = SETTINGS[key];
    const { value, origin } = settings[key];
    if (key === 'baseUrl' && value === undefined) {
      area.wrong(setting.name, {
        error: new UsageError('the base URL of the gateway is missing', { code: 'missing_setting' }),
        advice: NO_GATEWAY,
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
  for (const name of unknownVariables(context)) {
    const meant = nearest(name, VARIABLES);
    area.warning(
      'environment',
      `${name} is no variable that gatectl reads`,
      meant === undefined ? 'leave it out' : `did you mean ${meant}?`,
    );
  }
  return area.findings;
}

/** Names alone: the value behind a mistyped name may well be the key. */
function unknownVariables({ io }: Context): readonly string[] {
  return Object.keys(io.env).filter(name => /^GATECTL/i.test(name) && !VARIABLES.includes(name));
}
