import { PROJECT_FILE } from '../../../config/project-file.ts';
import { PROJECT_SETTING_NAMES, SETTING_KEYS, SETTINGS, type Setting } from '../../../config/settings.ts';
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
    heading('project file'),
    text(
      `A file named ${PROJECT_FILE} sets defaults for the folder it is in and all folders below it, as for a repository and its CI jobs. The first one counts that is found in the working folder or above it; the search ends at the root of the repository (the first folder with a .git), the home folder or the root of the file system. Precedence: flag, environment variable, project file, profile, default.`,
    ),
    text(
      `It holds one setting per line as YAML, such as profile: news or domain: news.example.com. It may set ${['profile', ...PROJECT_SETTING_NAMES].join(', ')}; the base URL, the paths of the APIs and the key stay in the profile. A key in a project file is an error, and so is an unknown setting. In CI, GATECTL_BASE_URL and GATECTL_API_KEY provide the rest.`,
    ),
    text(
      'A file that another user owns, or that other users can change, is ignored with a warning. --verbose and gatectl doctor print the path of the file in use. --sandbox ignores it, as it ignores profiles.',
    ),
    heading('for example'),
    commands(
      'gatectl profile add news --base-url https://gateway.example.com --domain example.com --api-key-stdin < key.txt',
      'gatectl profile set time-zone Europe/Madrid --profile news',
      'gatectl profile set data-set pageview',
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
