import {
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  parseJson,
  stringifyJson,
} from '../../../../src/json/index.ts';
import { type Definitions, type Migration, queryRecord } from '../../../../src/migrate/index.ts';
import {
  type Replay,
  replaysOf,
  type Versions,
} from '../../../../src/operations/migrate/verify-migration.ts';
import type { openBda } from '../../../sandbox/bda/calling.ts';

type Bda = ReturnType<typeof openBda>;

/** The rows of an answer, digits kept. */
function rowsIn(text: string, field: string): JsonRecord[] {
  const body = parseJson(text);
  const rows = isRecord(body) ? body[field] : undefined;
  if (!isList(rows)) throw new Error(`no ${field} in ${text.slice(0, 300)}`);
  return rows.filter(isRecord);
}

/** Both versions of the embedded gateway, without a network. */
export function embeddedVersions(bda: Bda): Versions {
  return {
    async v1(target, request) {
      const path =
        'inline' in target
          ? '/getCustomData/'
          : `/getdata/?${new URLSearchParams(target as Readonly<Record<string, string>>)}`;
      const { text } = await bda.v1('POST', path, stringifyJson(request));
      return { rows: rowsIn(text, 'Data'), total: undefined, flaws: [] };
    },
    async v2(query) {
      const { text } = await bda.v2('POST', '/query', stringifyJson(queryRecord(query)));
      return { rows: rowsIn(text, 'rows'), total: undefined, flaws: [] };
    },
  };
}

/** An inline request as it is, and the plan that replaces it. Throws if the migration was refused. */
export function replayOf(request: object, migration: Migration): Replay {
  if (!migration.ok) throw new Error(JSON.stringify(migration.blockers));
  const [only] = replaysOf({ request: parseJson(JSON.stringify(request)) }, migration.parts, {});
  if (only === undefined) throw new Error('there is no request');
  return only;
}

/** Everything that the embedded gateway tells of its saved work. */
export async function embeddedDefinitions(bda: Bda): Promise<Definitions & { readonly customReports: Json }> {
  const listed = async (path: string): Promise<Json> => parseJson((await bda.v1('GET', path)).text);
  return {
    customReports: await listed('/getcustomreports/'),
    segments: await listed('/getsegments/'),
    multifilters: await listed('/getmultifilters/'),
    filters: await listed('/getfilters/'),
    columnsV2: parseJson((await bda.v2('GET', '/columns')).text),
  };
}
