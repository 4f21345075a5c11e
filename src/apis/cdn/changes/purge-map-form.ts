import { documentSchema } from '../../../documents/document.ts';
import {
  choice,
  converted,
  defaulting,
  FLAG,
  type Form,
  list,
  NONEMPTY_TEXT,
  object,
  oneOrMore,
  optional,
  required,
  type ValueOf,
} from '../../../documents/forms.ts';
import { ALWAYS, EVENT_RULE, KEY_TEMPLATE, SITE, URL_TEMPLATE } from '../events/event-map-form.ts';
import { SENDERS } from '../events/senders-form.ts';
import { pathPattern } from './path-pattern.ts';
import { placeholdersOf } from './url-text.ts';

const PATTERN = converted(NONEMPTY_TEXT, (text, at) => {
  const matches = pathPattern(text);
  if (typeof matches === 'string') throw at.invalid(`the pattern ${text} ${matches}`);
  return { text, matches };
});

/** The settings that say what a rule leads to. */
const LEADS_TO = ['urls', 'listings', 'keys', 'affects'] as const;
const LEADS_SOMEWHERE = { anyOf: LEADS_TO.map(name => ({ required: [name] })) };

const FILE_RULE = object(
  {
    files: required(
      'Which files: `{name}` matches within a folder, `{name**}` across folders; `*` and `**` capture nothing',
      PATTERN,
    ),
    urls: defaulting(
      'URLs that the file is the content of, as paths or in full, with its `{name}`',
      oneOrMore(URL_TEMPLATE, { min: 1 }),
      [],
    ),
    listings: defaulting(
      'URLs that show something of the file: listing pages, feeds',
      oneOrMore(URL_TEMPLATE, { min: 1 }),
      [],
    ),
    keys: defaulting('Surrogate keys', oneOrMore(KEY_TEMPLATE, { min: 1 }), []),
    affects: defaulting(
      'Patterns of the paths of pages that all depend on the file, such as those of a template',
      oneOrMore(PATTERN, { min: 1 }),
      [],
    ),
    ignore: defaulting('Whether the files purge nothing', FLAG, false),
    optional: defaulting('Whether the rule may match no file', FLAG, false),
  },
  {
    called: () => 'the rule',
    check(rule, at) {
      const leads = LEADS_TO.some(name => rule[name].length > 0);
      if (rule.ignore && leads) throw at.invalid('a rule with ignore purges nothing');
      if (!rule.ignore && !leads)
        throw at.invalid('the rule purges nothing: add urls, listings, keys or affects, or ignore: true');
      const known = placeholdersOf(rule.files.text).map(name => name.replace(/\*\*$/, ''));
      const used = [...rule.urls, ...rule.listings, ...rule.keys].flatMap(placeholdersOf);
      const stranger = used.find(name => !known.includes(name));
      if (stranger !== undefined) throw at.invalid(`{${stranger}} is not in the pattern ${rule.files.text}`);
    },
    schema: {
      if: { properties: { ignore: { const: true } }, required: ['ignore'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { not: LEADS_SOMEWHERE },
      else: LEADS_SOMEWHERE,
    },
  },
);

/** A rule for files, or with `on` for events. */
const RULE: Form<
  | { readonly file: ValueOf<typeof FILE_RULE>; readonly event?: undefined }
  | { readonly event: ValueOf<typeof EVENT_RULE>; readonly file?: undefined }
> = {
  schema: { anyOf: [FILE_RULE.schema, EVENT_RULE.schema] },
  read: at => (at.find('on') === at ? { file: FILE_RULE.read(at) } : { event: EVENT_RULE.read(at) }),
};

/** A map from files and events to URLs and surrogate keys. */
export const PURGE_MAP_FORM = object(
  {
    site: optional('The URL that paths are below', SITE),
    root: defaulting('The folder of the files to map', NONEMPTY_TEXT, ''),
    rules: defaulting('The rules. The first one that matches a file, or an event, decides', list(RULE), []),
    always: ALWAYS,
    senders: SENDERS,
    redirects: optional('A file with redirects: lines of FROM TO [STATUS]', NONEMPTY_TEXT),
    unmatched: optional(
      'What a file without a matching rule purges: the URL of its path, or nothing',
      choice(['url', 'ignore']),
    ),
  },
  {
    // An emptied map must not read as one that purges nothing.
    check(_, at) {
      if (at.content.kind === 'empty') throw at.invalid('the map is empty');
    },
    schema: { type: 'object' },
  },
);

/** The JSON Schema of a purge map. */
export const PURGE_MAP_SCHEMA = documentSchema(
  'gatectl purge map',
  'Which URLs and keys changed files and CMS events purge, for gatectl cdn purge --map and cdn listen.',
  PURGE_MAP_FORM,
);
