import { createClient } from '../clients/hey-api/client';
import { checkAccess, clearUrl, listReports, runQuery } from '../clients/hey-api/sdk.gen';
import { testClient } from './gateway';

testClient('@hey-api/openapi-ts', ({ baseUrl, apiKey }) => {
  // Where both places are allowed, the client would send the key twice.
  const client = createClient({ baseUrl, auth: ({ in: place }) => (place === 'query' ? undefined : apiKey) });
  return {
    async access(email) {
      const { data } = await checkAccess({
        client,
        query: { domain: 'example.com', product: 'premium' },
        headers: { 'X-Service-Reader-Email': email },
      });
      return data?.data.decision;
    },
    async query(body) {
      const { data, error } = await runQuery({ client, body });
      if (data !== undefined) return { rows: data.rows.length, total: data.total_rows };
      return typeof error === 'object' ? error.error.code : error;
    },
    async clear(url) {
      const { data } = await clearUrl({ client, body: { url } });
      return data?.Success;
    },
    async reports() {
      // Without a query, version 0.95 loses a key that belongs there.
      const { data } = await listReports({ client, auth: apiKey, query: {} as never });
      return data;
    },
  };
});
