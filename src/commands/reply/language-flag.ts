import { string } from '../framework/define-command.ts';

/** Languages with built-in replies; the templates themselves load only where they are used. */
export const BUILT_IN_LANGUAGES = ['en', 'de', 'es', 'fr'] as const;

export const LANGUAGE_FLAG = string(
  '--language <code>',
  'language of the reply: en (default), de, es, fr, or one with custom templates',
  { completes: BUILT_IN_LANGUAGES },
);
