import { Api } from '../clients/swagger-typescript-api';
import { testClient } from './gateway';

testClient('swagger-typescript-api', ({ baseUrl, apiKey }) => {
  const api = new Api({ baseUrl, securityWorker: () => ({ headers: { 'X-API-Key': apiKey } }) });
  return {
    async access(email) {
      const { data } = await api.subscriptions.checkAccess(
        { domain: 'example.com', product: 'premium' },
        { headers: { 'X-Service-Reader-Email': email } },
      );
      return data.data.decision;
    },
    async query(query) {
      try {
        const { data } = await api.gateway.runQuery(query);
        return { rows: data.rows.length, total: data.total_rows };
      } catch (response) {
        const { error } = response as Awaited<ReturnType<typeof api.gateway.runQuery>>;
        return typeof error === 'string' ? error : error.error.code;
      }
    },
    async clear(url) {
      const { data } = await api.cdnservices.clearUrl({ url });
      return data.Success;
    },
    async reports() {
      const inQuery = { secure: false, query: { developerKey: apiKey } };
      const { data } = await api.bdaservices.listReports(inQuery as object);
      return data;
    },
  };
});
