import { documentSchema } from '../../../documents/document.ts';
import { flagsFile } from '../../framework/yaml-flags.ts';
import { ALERT_FLAGS, WATCHED_FLAGS } from './flags.ts';

/** What is watched, as a file. It runs no commands and names no files. */
export const WATCH_FILE = flagsFile(WATCHED_FLAGS, {
  what: 'a watch',
  elsewhere: { options: ALERT_FLAGS, hint: flag => `type it: gatectl bda watch FILE --${flag}` },
});

/** The JSON Schema of a watch file. */
export const WATCH_SCHEMA = documentSchema(
  'gatectl watch file',
  'What gatectl bda watch watches. The file contains no secrets.',
  WATCH_FILE.form,
);
