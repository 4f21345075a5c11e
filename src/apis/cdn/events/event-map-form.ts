import {
  choice,
  converted,
  defaulting,
  FLAG,
  formOf,
  integer,
  list,
  NONEMPTY_TEXT,
  object,
  oneOrMore,
  optional,
  required,
} from '../../../documents/forms.ts';
import { encodedAsTyped, placeholdersOf } from '../changes/url-text.ts';
import { cleanUrl } from '../clean-url.ts';
import { keyProblem } from '../surrogate-keys.ts';
import { EVENT_KINDS } from './content-event.ts';

// Each form is marked as pure, so that programs with another part of the client are bundled without the forms.

/** What a template may contain in braces, where an event fills it. */
const PLACEHOLDERS: readonly string[] = ['path', 'slug', 'tag', 'author', 'section', 'type', 'entry', 'page'];

/** The URL that paths are appended to. */
export const SITE = /* @__PURE__ */ formOf(() =>
  converted(NONEMPTY_TEXT, (text, at) => {
    const clean = cleanUrl(text, undefined);
    if ('problem' in clean || clean.url.includes('?'))
      throw at.invalid('site must be a URL such as https://www.example.com');
    return encodedAsTyped(clean.url.replace(/\/+$/, ''));
  }),
);

/** A URL or a path, with placeholders. */
export const URL_TEMPLATE = /* @__PURE__ */ formOf(() =>
  converted(NONEMPTY_TEXT, (template, at) => {
    const example = template.replace(/^\{path\}/, '/x').replace(/\{[^{}]*\}/g, 'x');
    if (example.startsWith('/') && !example.startsWith('//')) return encodedAsTyped(template);
    const clean = cleanUrl(example, undefined);
    if ('problem' in clean)
      throw at.invalid(`the URL ${template} ${clean.problem}, or a path that starts with /`);
    return encodedAsTyped(template);
  }),
);

export const KEY_TEMPLATE = /* @__PURE__ */ formOf(() =>
  converted(NONEMPTY_TEXT, (template, at) => {
    const problem = keyProblem(template.replace(/\{[^{}]*\}/g, 'x'));
    if (problem !== undefined) throw at.invalid(`the key ${template} ${problem}`);
    return template;
  }),
);

const ON = /* @__PURE__ */ formOf(() =>
  object({
    type: defaulting('Types of the entry (default: any)', oneOrMore(NONEMPTY_TEXT, { min: 1 }), []),
    event: defaulting(
      'What happened to it (default: anything)',
      oneOrMore(choice(EVENT_KINDS), { min: 1 }),
      [],
    ),
  }),
);

/** The settings that say what an event leads to. */
const LEADS_TO = ['urls', 'listings', 'keys'] as const;
const LEADS_SOMEWHERE = { anyOf: /* @__PURE__ */ LEADS_TO.map(name => ({ required: [name] })) };

/** A rule for the events of a CMS. */
export const EVENT_RULE = /* @__PURE__ */ formOf(() =>
  object(
    {
      on: required('Which events', ON),
      urls: defaulting(
        'URLs of the entry, now and before, such as `{path}`, `{path}amp/` or `/articles/{slug}/`',
        oneOrMore(URL_TEMPLATE, { min: 1 }),
        [],
      ),
      listings: defaulting(
        'URLs that show something of it, such as `/page/{page}/`, `/tag/{tag}/`, `/author/{author}/`, `/{section}/feed/`',
        oneOrMore(URL_TEMPLATE, { min: 1 }),
        [],
      ),
      keys: defaulting(
        'Surrogate keys, such as `{type}-{entry}` or `tag-{tag}`',
        oneOrMore(KEY_TEMPLATE, { min: 1 }),
        [],
      ),
      pages: defaulting('The last page of listings with `{page}`', integer({ min: 2, max: 1000 }), 10),
      ignore: defaulting('Whether the events purge nothing', FLAG, false),
    },
    {
      called: () => 'the rule',
      check(rule, at) {
        const leads = LEADS_TO.some(name => rule[name].length > 0);
        if (rule.ignore && leads) throw at.invalid('a rule with ignore purges nothing');
        if (!rule.ignore && !leads)
          throw at.invalid('the rule purges nothing: add urls, listings or keys, or ignore: true');
        const used = LEADS_TO.flatMap(name => rule[name]).flatMap(placeholdersOf);
        const stranger = used.find(name => !PLACEHOLDERS.includes(name));
        if (stranger !== undefined)
          throw at.invalid(`{${stranger}} is not in an event, which has ${PLACEHOLDERS.join(', ')}`);
      },
      schema: {
        if: { properties: { ignore: { const: true } }, required: ['ignore'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { not: LEADS_SOMEWHERE },
        else: LEADS_SOMEWHERE,
      },
    },
  ),
);

/** URLs that every event purges. */
export const ALWAYS = /* @__PURE__ */ formOf(() =>
  optional(
    'URLs that every event purges, such as the front page and the sitemap',
    oneOrMore(URL_TEMPLATE, { min: 1 }),
  ),
);

/** The part of a purge map that is about events, for programs. */
export const EVENT_MAP = /* @__PURE__ */ formOf(() =>
  object({
    site: required('The URL that paths are below', SITE),
    always: ALWAYS,
    rules: required('The rules. The first one that matches an event decides', list(EVENT_RULE, { min: 1 })),
  }),
);
