import { SETTING_KEYS, SETTINGS, type Setting } from '../../../config/settings.ts';
import { commands, heading, type Term, type Topic, terms, text } from '../topic.ts';

export const profiles: Topic = {
  name: 'profiles',
  summary: 'gateways, keys and defaults kept under names',
  blocks: [
    text(
      'A profile holds the base URL of a gateway, where its API key comes from, and defaults. The first one that is added is the one in use, until gatectl profile use names another; --profile and GATECTL_PROFILE choose one for a command.',
    ),
    text(
      'Profiles are kept in config.json in the folder GATECTL_CONFIG_DIR, or else in gatectl below $XDG_CONFIG_HOME, %APPDATA% (Windows) or ~/.config. gatectl profile path prints where that is. The file is written for you alone (mode 0600).',
    ),
    heading('settings'),
    { kind: 'terms', terms: SETTING_KEYS.map(settingTerm) },
    heading('where the API key comes from'),
    text(
      'GATECTL_API_KEY beats the profile. A key is never taken from the command line, never printed, and sent only to the origin (scheme, host and port) of the base URL that it was stored with.',
    ),
    terms(
      ['--api-key-stdin', 'the key is read once and kept in the profiles file'],
      ['--api-key-file FILE', 'the first line of the file, read at each call'],
      [
        '--key-command CMD',
        'what a program prints, at each call; it is started without a shell and has 10 seconds',
      ],
      ['--keyring', "an entry of the operating system's keyring"],
    ),
    heading('for example'),
    commands(
      'gatectl profile add news --base-url https://gateway.example.com --domain example.com --api-key-stdin < key.txt',
      'gatectl profile set time-zone Europe/Madrid --profile news',
      'gatectl profile show',
    ),
  ],
};

function settingTerm(key: (typeof SETTING_KEYS)[number]): Term {
  const { name, description, fallback, fallbackText, choices }: Setting<unknown> = SETTINGS[key];
  const words = choices === undefined ? '' : ` (${choices.join(', ')})`;
  const standard = fallbackText ?? fallback;
  return {
    term: name,
    means: `${description}${words}${standard === undefined ? '' : `; default: ${standard}`}`,
  };
}
