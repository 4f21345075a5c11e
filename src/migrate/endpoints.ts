/** What became of a v1 endpoint: `v2` is what to call instead, absent where v2 has nothing like it. */
export interface EndpointFate {
  readonly v2?: string;
  readonly text: string;
}

const NO_SAVED_REPORTS = 'v2 keeps no reports on the server: each query says its own columns';
const NO_SEGMENTS = 'v2 keeps no segments on the server: each query carries its own filters';
const COLUMNS_INSTEAD = 'GET /columns lists what can be filtered on, which is every column';

/** Every v1 endpoint by its path below `/bdaservices/`, as v1 spells it (spec, Versioning 4). */
export const V1_ENDPOINTS: Readonly<Record<string, EndpointFate>> = {
  getdomains: { v2: 'GET /domains', text: 'GET /domains lists the domains' },
  getcolumns: { v2: 'GET /columns', text: 'GET /columns lists the columns' },
  getdata: { v2: 'POST /query', text: 'POST /query asks for the rows, with the columns of the report in it' },
  getCustomData: { v2: 'POST /query', text: 'POST /query asks for the rows' },
  getreports: { text: NO_SAVED_REPORTS },
  getreport: { text: NO_SAVED_REPORTS },
  getcustomreports: { text: NO_SAVED_REPORTS },
  createcustomreport: { text: `${NO_SAVED_REPORTS}. Its body is a definition that can be migrated` },
  getsegments: { text: NO_SEGMENTS },
  createsegment: { text: `${NO_SEGMENTS}. Its body is a definition that can be migrated` },
  getfilters: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
  getmultifilters: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
  getmultifiltertypes: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
};

/** The v1 endpoint at the end of a path, in v1's spelling. */
export function endpointOf(path: string): string | undefined {
  const last = path.split('/').findLast(part => part !== '');
  return Object.keys(V1_ENDPOINTS).find(name => name.toLowerCase() === last?.toLowerCase());
}
