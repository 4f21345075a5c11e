import createClient from 'openapi-fetch';
import type { paths } from '../clients/openapi-typescript';
import { testClient } from './gateway';

testClient('openapi-typescript and openapi-fetch', ({ baseUrl, apiKey }) => {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } });
  return {
    async access(email) {
      const { data } = await client.GET('/subscriptions/v1/access', {
        params: {
          query: { domain: 'example.com', product: 'premium' },
          header: { 'X-Service-Reader-Email': email },
        },
      });
      return data?.data.decision;
    },
    async query(body) {
      const { data, error } = await client.POST('/gateway/bdaservices/v2/query', { body });
      if (data !== undefined) return { rows: data.rows.length, total: data.total_rows };
      return typeof error === 'object' ? error.error.code : error;
    },
    async clear(url) {
      const { data } = await client.POST('/cdnservices/clearcache', { body: { url } });
      return data?.Success;
    },
    async reports() {
      const { data } = await client.GET('/bdaservices/getreports/', {
        headers: { 'X-API-Key': null },
        querySerializer: () => `developerKey=${apiKey}`,
      });
      return data;
    },
  };
});
