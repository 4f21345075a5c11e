import { checkAccess, clearUrl, listReports, runQuery } from '../clients/orval';
import { testClient } from './gateway';
import { gateway } from './send';

testClient('orval', ({ baseUrl, apiKey }) => {
  Object.assign(gateway, { baseUrl, headers: { 'X-API-Key': apiKey } });
  return {
    async access(email) {
      const headers = { 'X-Service-Reader-Email': email };
      const { status, data } = await checkAccess({ domain: 'example.com', product: 'premium' }, { headers });
      return status === 200 ? data.data.decision : undefined;
    },
    async query(query) {
      const response = await runQuery(query);
      if (response.status === 200)
        return { rows: response.data.rows.length, total: response.data.total_rows };
      return response.status === 503 ? response.data : response.data.error.code;
    },
    async clear(url) {
      const { status, data } = await clearUrl({ url });
      return status === 200 ? data.Success : undefined;
    },
    async reports() {
      Object.assign(gateway, { headers: {}, query: `?developerKey=${apiKey}` });
      const { status, data } = await listReports();
      return status === 200 ? data : undefined;
    },
  };
});
