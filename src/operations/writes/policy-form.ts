import { WRITE_COMMANDS } from '../../apis/write-endpoints.ts';
import { documentSchema } from '../../documents/document.ts';
import {
  choice,
  converted,
  defaulting,
  FLAG,
  integer,
  list,
  map,
  NONEMPTY_TEXT,
  object,
  oneOrMore,
  optional,
  pattern,
  required,
  type ValueOf,
} from '../../documents/forms.ts';
import { publicKeyOf } from './approval.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const TIME = pattern(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time such as "08:00"');

const ZONE = converted(NONEMPTY_TEXT, (zone, at) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw at.invalid(`${zone} is not an IANA time zone`);
  }
});

const HOURS = object(
  {
    days: defaulting('Days of the week', oneOrMore(choice(DAYS), { min: 1, distinct: true }), DAYS),
    from: required('From this time on', TIME),
    until: required('Until this time; one before `from` is on the next day', TIME),
    zone: defaulting('Time zone', ZONE, 'UTC'),
  },
  {
    check({ from, until }, at) {
      if (from === until) throw at.invalid('from and until are the same time');
    },
  },
);

const SHARE = pattern(/^(?:100|\d{1,2}(?:\.\d{1,6})?)%$/, 'a share such as 5%');

const APPROVER = converted(NONEMPTY_TEXT, (text, at) => {
  const key = publicKeyOf(text);
  if (key === undefined) throw at.invalid(`${at.name} is not a public key, as gatectl plan key prints it`);
  return key;
});

const DOMAIN = pattern(/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/, 'a domain in lower case, such as example.com');

const URL_PATTERN = pattern(
  /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z0-9-]+\/[^\s%;\\#]*$/,
  'a URL such as https://example.com/news/**, without a port and without %',
);

const RULE = object(
  {
    name: optional('What messages call the rule', NONEMPTY_TEXT),
    command: optional(
      'Commands such as `cdn purge` and `token`; requests of gatectl api and MCP belong to the command that sends the same',
      oneOrMore(choice(WRITE_COMMANDS), { min: 1 }),
    ),
    effect: optional(
      'Its effect: `write` can be repeated, `irreversible` cannot be undone',
      oneOrMore(choice(['write', 'irreversible']), { min: 1 }),
    ),
    domain: optional('Domains, with those below them', oneOrMore(DOMAIN, { min: 1 })),
    url: optional(
      'URLs: `*` matches within a part of the path, `**` across parts',
      oneOrMore(URL_PATTERN, { min: 1 }),
    ),
    deny: defaulting('Whether it is rejected', FLAG, false),
    max_targets: optional('URLs, surrogate keys or domains of one command at most', integer({ min: 0 })),
    max_share: optional(
      'The share of the page views of the last seven days that the pages of a purge have at most',
      SHARE,
    ),
    per_day: optional(
      'Targets of all such commands at this gateway within 24 hours at most, by this user on this machine',
      integer({ min: 0 }),
    ),
    hours: optional('When it is allowed', HOURS),
    approvals: optional('Number of other people who must approve it as a plan', integer({ min: 1, max: 20 })),
  },
  { called: () => 'the rule' },
);

/** A rule of a policy. It applies to what all of its `command`, `effect`, `domain` and `url` match. */
export type Rule = ValueOf<typeof RULE>;

/** The hours of a rule. */
export type Hours = ValueOf<typeof HOURS>;

export const POLICY_FORM = object({
  otherwise: required('What happens with writes that no rule matches', choice(['allow', 'deny'])),
  rules: defaulting('All rules that apply must hold, in any order', list(RULE), []),
  approvers: defaulting('Names, each with the public key that gatectl plan key prints', map(APPROVER), []),
});

/** The rules of who may change what. */
export type PolicyContent = ValueOf<typeof POLICY_FORM>;

/** The JSON Schema of a policy. */
export const POLICY_SCHEMA = documentSchema(
  'gatectl policy',
  'Which writes gatectl sends. The file contains no secrets.',
  POLICY_FORM,
);
