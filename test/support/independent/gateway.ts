import { type Received, type Reply, type WireServer, wireServer } from '../wire-server.ts';
import { DIMENSIONS, FIRST_DAY, LAST_DAY, METRICS, type Row, SITES } from './facts.ts';
import { answerV1, FILTERS, MULTIFILTERS, REPORTS, Rejected, SEGMENTS } from './v1.ts';
import { answerV2, Invalid } from './v2.ts';

interface GatewayOptions {
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Changes the rows of a v2 response to a query. */
  readonly damageV2?: (rows: Row[], query: Record<string, unknown>) => Row[];
}

/** Both versions of BDA, written apart from gatectl. */
export function independentGateway(options: GatewayOptions): Promise<WireServer> {
  return wireServer(request => replyTo(request, options));
}

const COLUMNS = {
  columns: [
    ...Object.keys(DIMENSIONS).map(name => ({ name, type: 'string', unit: null, data_sets: ['pageview'] })),
    ...Object.keys(METRICS).map(name => ({
      name,
      type: 'number',
      unit: name === 'revenue' ? 'USD' : 'count',
      data_sets: ['pageview'],
    })),
  ],
};

const LISTINGS: Readonly<Record<string, unknown>> = {
  getcustomreports: REPORTS,
  getsegments: SEGMENTS,
  getmultifilters: MULTIFILTERS,
  getfilters: FILTERS,
  getcolumns: Object.keys({ ...DIMENSIONS, ...METRICS }),
  getdomains: SITES.map(id => ({ id })),
  columns: COLUMNS,
  domains: { domains: SITES.map(id => ({ id })) },
  'data-sets': { data_sets: ['pageview'] },
  'date-range': { start_date: FIRST_DAY, end_date: LAST_DAY },
};

function replyTo({ target, body }: Received, { today, damageV2 = rows => rows }: GatewayOptions): Reply {
  const { pathname, searchParams } = new URL(target, 'http://gateway.example.com');
  const name = pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
  const listing = LISTINGS[name];
  if (listing !== undefined) return { body: JSON.stringify(listing) };
  try {
    if (name === 'getCustomData')
      return { body: JSON.stringify({ Data: answerV1(JSON.parse(body), today).rows }) };
    if (name === 'getdata')
      return {
        body: JSON.stringify({
          Data: answerV1(JSON.parse(body), today, Number(searchParams.get('customReportId'))).rows,
        }),
      };
    if (name !== 'query') return { status: 404, body: '{"Success":false,"Error":"no such path"}' };
    const query = JSON.parse(body);
    const { rows, total_rows } = answerV2(query);
    const damaged = damageV2(rows, query);
    // A total that contradicts the rows would give the damage away.
    const total = total_rows + damaged.length - rows.length;
    return { body: JSON.stringify({ rows: damaged, total_rows: total }) };
  } catch (error) {
    if (error instanceof Rejected)
      return { status: 400, body: JSON.stringify({ Success: false, Error: error.message }) };
    if (!(error instanceof Invalid)) throw error;
    const details = [{ field: error.message, message: 'is not valid' }];
    return {
      status: 400,
      body: JSON.stringify({ error: { code: 'validation_error', message: 'invalid query', details } }),
    };
  }
}
