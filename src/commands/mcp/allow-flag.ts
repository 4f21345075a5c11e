import { type Option, oneOf } from '../framework/define-command.ts';

/** The writes that can be allowed. */
const ALLOWED = ['cdn-purge'] as const;
export type Allowed = (typeof ALLOWED)[number];

/** `--allow`, repeatable. */
export const ALLOW_FLAG: Option<readonly Allowed[]> = {
  ...oneOf('--allow <write>', `allow a write: ${ALLOWED.join(', ')} (repeatable)`, ALLOWED),
  kind: 'list',
  fallback: [],
};
