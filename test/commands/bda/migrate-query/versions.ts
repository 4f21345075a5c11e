import type { Versions } from '../../../../src/commands/bda/migrate-query/verify-query.ts';
import {
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  parseJson,
  stringifyJson,
} from '../../../../src/json/index.ts';
import type { Definitions } from '../../../../src/migrate/index.ts';
import type { openBda } from '../../../sandbox/bda/calling.ts';

type Bda = ReturnType<typeof openBda>;

/** The rows of an answer, digits kept. */
function rowsIn(text: string, field: string): JsonRecord[] {
  const body = parseJson(text);
  const rows = isRecord(body) ? body[field] : undefined;
  if (!isList(rows)) throw new Error(`no ${field} in ${text.slice(0, 300)}`);
  return rows.filter(isRecord);
}

/** Both versions of the embedded gateway, without a network; `report` is the query of a getdata request. */
export function embeddedVersions(bda: Bda, report?: string): Versions {
  return {
    async v1(request, isFullReport) {
      const target = report !== undefined && isFullReport ? `/getdata/?${report}` : '/getCustomData/';
      const body = Object.entries(request).filter(
        ([name]) => target === '/getCustomData/' || !/Columns$|^Order$|^Filters$/.test(name),
      );
      const { text } = await bda.v1('POST', target, stringifyJson(Object.fromEntries(body)));
      return { rows: rowsIn(text, 'Data'), total: undefined, flaws: [] };
    },
    async v2(query) {
      const { text } = await bda.v2('POST', '/query', stringifyJson(query));
      return { rows: rowsIn(text, 'rows'), total: undefined, flaws: [] };
    },
  };
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
