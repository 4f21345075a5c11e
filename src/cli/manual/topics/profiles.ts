import { PROJECT_FILE } from '../../../config/project-file.ts';
import { PROJECT_SETTING_NAMES, SETTING_KEYS, SETTINGS, type Setting } from '../../../config/settings.ts';
import { commands, heading, type Term, type Topic, terms, text } from '../topic.ts';

export const profiles: Topic = {
  name: 'profiles',
  summary: 'connection profiles and project files',
  blocks: [
    text(
      'A profile contains the base URL of a gateway, the source of its API key, and defaults. The first profile becomes the current one; gatectl profile use changes it, and --profile and GATECTL_PROFILE select another for one command.',
    ),
    text(
      'Profiles are stored in config.json in the folder GATECTL_CONFIG_DIR, or else in gatectl below $XDG_CONFIG_HOME, %APPDATA% (Windows) or ~/.config. gatectl profile path prints its path. Only you can read the file (mode 0600).',
    ),
    heading('settings'),
    { kind: 'terms', terms: SETTING_KEYS.map(settingTerm) },
    heading('API key'),
    text(
      'GATECTL_API_KEY overrides the profile. A key is not accepted on the command line, never printed, and sent only to the origin (scheme, host and port) of the base URL for which it was stored.',
    ),
    terms({
      '--api-key-stdin': 'read once, and stored in the profiles file',
      '--api-key-file FILE': 'the first line of the file, read by each command',
      '--key-command CMD':
        'the output of a program, which each command runs without a shell; its time limit is 10 seconds',
      '--keyring': "the operating system's keyring",
    }),
    heading('project file'),
    text(
      `A file named ${PROJECT_FILE} sets defaults for its folder and all folders below, such as a repository and its CI jobs. gatectl uses the nearest one, from the working folder upwards; the search ends at the root of the repository (the first folder with a .git), the home folder or the root of the file system. Precedence: flag, environment variable, project file, profile, default.`,
    ),
    text(
      `It contains one setting per line as YAML, such as profile: news or domain: news.example.com. It may set ${['profile', ...PROJECT_SETTING_NAMES].join(', ')}; the base URL, the paths of the APIs and the key stay in the profile. A key in a project file is an error, and so is an unknown setting. In CI, GATECTL_BASE_URL and GATECTL_API_KEY provide the rest.`,
    ),
    text(
      'Where it selects another profile than the current one, gatectl asks once whether you trust it. Without a terminal that is an error until gatectl trust, --profile, GATECTL_PROFILE or GATECTL_TRUST=profile:NAME allows it.',
    ),
    text(
      'A project file that belongs to another user, or that other users can change, is ignored with a warning. --verbose and gatectl doctor print the path of the file in use. --sandbox ignores it, as it ignores profiles.',
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
