import { PURGE_MAP_SCHEMA } from '../../apis/cdn/changes/purge-map-form.ts';
import { SAVED_QUERY_SCHEMA } from '../../commands/bda/flags/saved-query.ts';
import { REPORT_SCHEMA } from '../../commands/bda/report/build/report-form.ts';
import { WATCH_SCHEMA } from '../../commands/bda/watch/watch-form.ts';
import type { DocumentKind } from '../../commands/framework/context.ts';
import { PROJECT_SCHEMA } from '../../config/project-settings.ts';
import type { JsonSchema } from '../../documents/forms.ts';
import { POLICY_SCHEMA } from '../../operations/writes/policy-form.ts';
import { SYNC_SCHEMA } from '../../sync/sync-form.ts';

/** The JSON Schemas of the files that gatectl reads. */
export const DOCUMENT_SCHEMAS: Readonly<Record<DocumentKind, JsonSchema>> = {
  sync: SYNC_SCHEMA,
  report: REPORT_SCHEMA,
  map: PURGE_MAP_SCHEMA,
  watch: WATCH_SCHEMA,
  query: SAVED_QUERY_SCHEMA,
  project: PROJECT_SCHEMA,
  policy: POLICY_SCHEMA,
};
