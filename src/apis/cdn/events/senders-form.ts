import {
  choice,
  defaulting,
  formOf,
  map,
  NONEMPTY_TEXT,
  object,
  optional,
  pattern,
  required,
} from '../../../documents/forms.ts';
import { FORMATS } from './senders.ts';

const SENDER = /* @__PURE__ */ formOf(() =>
  object({
    format: required('The CMS, or `json` for another', choice(FORMATS)),
    env: required(
      'The environment variable that contains its secret',
      pattern(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
    ),
    event: optional('With `json`: a jq expression that makes the event of the content', NONEMPTY_TEXT),
    sign: defaulting(
      'With `json`: `standard` for signatures as of Standard Webhooks, `token` for the secret in the header Authorization',
      choice(['standard', 'token']),
      'standard',
    ),
  }),
);

/** Who may send events. */
export const SENDERS = /* @__PURE__ */ formOf(() =>
  optional(
    'Who may send events, by the name that ends their URL, for `gatectl cdn listen`',
    map(SENDER, { names: pattern(/^[a-z0-9][a-z0-9-]*$/, 'a name of small letters, digits and hyphens') }),
  ),
);
