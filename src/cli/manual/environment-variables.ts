import { SETTING_KEYS, SETTINGS, type Setting } from '../../config/settings.ts';
import type { Term } from './topic.ts';

const OF_SETTINGS: readonly Term[] = SETTING_KEYS.flatMap(key => {
  const { environment, name, description, choices }: Setting<unknown> = SETTINGS[key];
  const words = choices === undefined ? '' : ` (${choices.join(', ')})`;
  return environment === undefined
    ? []
    : [{ term: environment, means: `${description}${words}; the setting ${name}` }];
});

/** The variables of gatectl's own. An empty one counts as not set, but for GATECTL_PAGER. */
export const OWN_VARIABLES: readonly Term[] = [
  { term: 'GATECTL_PROFILE', means: 'the profile to use, as --profile names one' },
  { term: 'GATECTL_API_KEY', means: "the API key; it beats the profile's" },
  ...OF_SETTINGS,
  {
    term: 'GATECTL_PAGER',
    means: 'the pager of output that exceeds the screen of a terminal; cat, or an empty value, turns it off',
  },
  {
    term: 'GATECTL_CONFIG_DIR',
    means: 'the folder of the profiles file; caches and interrupted purges are kept below it too',
  },
  {
    term: 'GATECTL_SANDBOX_CLOCK',
    means:
      'with --sandbox: the time at which the embedded gateway starts, in RFC 3339 form, so that its answers can be repeated',
  },
];

/** Variables of the system that gatectl heeds. */
export const COMMON_VARIABLES: readonly Term[] = [
  {
    term: 'HTTPS_PROXY, HTTP_PROXY',
    means: 'the proxy for https and for http addresses; the lower-case names come first',
  },
  { term: 'NO_PROXY', means: 'hosts that are reached without the proxy' },
  { term: 'NODE_EXTRA_CA_CERTS', means: 'a PEM file of further certificate authorities to trust' },
  {
    term: 'NODE_DISABLE_COMPILE_CACHE',
    means: 'stores no compiled code in the cache folder',
  },
  {
    term: 'NODE_TLS_REJECT_UNAUTHORIZED',
    means:
      '0 turns the verification of certificates off, so that anybody could pose as the gateway; gatectl doctor warns of it',
  },
  { term: 'NO_COLOR', means: 'no colours, when it is not empty' },
  { term: 'FORCE_COLOR', means: 'colours also where there is no terminal, unless it is 0 or false' },
  { term: 'TERM', means: 'dumb: no colours, no pager and no moving progress line' },
  { term: 'PAGER', means: 'the pager where GATECTL_PAGER is not set (default less)' },
  { term: 'LESS', means: 'the options of less (default FRX)' },
  {
    term: 'LC_ALL, LC_CTYPE, LANG',
    means: 'whether the terminal shows more than ASCII: the first that is set decides',
  },
  {
    term: 'XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME',
    means:
      'where gatectl keeps its folder for profiles, for caches and for interrupted purges (~/.config, ~/.cache, ~/.local/state)',
  },
  { term: 'MSYSTEM', means: 'set by Git Bash on Windows: commands to paste are quoted for it' },
  { term: 'SHELL', means: 'the shell that gatectl completion install sets up' },
  {
    term: 'XDG_DATA_HOME, ZDOTDIR',
    means:
      'where gatectl completion install writes scripts (~/.local/share) and the start-up file of zsh (~)',
  },
  { term: 'TMPDIR, TEMP', means: 'where interrupted purges wait when there is no such folder' },
  { term: 'APPDATA, LOCALAPPDATA', means: 'the same on Windows: profiles, and all else' },
];
