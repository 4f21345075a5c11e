// Checked by the compiler only: what the types of gatectl/client promise.
import { type Access, AuthError, type Gateway, type Query, verifyReader } from 'gatectl/client';

export async function promises(gateway: Gateway): Promise<void> {
  const access: Access = await gateway.subscriptions.access(
    { email: 'ada@example.com' },
    { product: 'premium' },
  );
  const allowed: boolean = access.allowed;
  if (access.allowed) console.log(allowed, access.decision satisfies 'allowed');
  // @ts-expect-error one identity
  await gateway.subscriptions.access({ email: 'ada@example.com', token: 'a.b.c' }, { product: 'premium' });

  const date_range = { start_date: '2026-03-01', end_date: '2026-03-31' };
  const rows = gateway.bda.query(
    { data_set: 'pageview', date_range, dimensions: ['country'], metrics: ['visits'] },
    { numbers: 'bigint' },
  );
  for await (const { country, visits } of rows) {
    const cells: (string | bigint | boolean | null)[] = [country, visits];
    console.log(cells);
  }
  // @ts-expect-error not a column of the query
  for await (const { revenue } of rows) console.log(revenue);

  // @ts-expect-error the member is `dimensions`
  gateway.bda.query({ data_set: 'pageview', date_range, dimension: ['country'] });
  const query: Query<'country', 'visits'> = {
    data_set: 'pageview',
    date_range,
    dimensions: ['country'],
    metrics: ['visits'],
  };
  for await (const { visits } of gateway.bda.query(query, { numbers: Number })) {
    const more: number = (visits ?? 0) + 1;
    console.log(more);
  }
  const [domain] = (await gateway.bda.domains()).domains;
  // @ts-expect-error the member is `domain_id`
  console.log(domain?.domain, domain?.id);

  // @ts-expect-error what happens without a decision must be chosen
  verifyReader(gateway, { reader: () => undefined, target: { product: 'premium' } });

  const { failures } = await gateway.cdn.purge(['https://example.com/']);
  for (const { target, error } of failures) if (error instanceof AuthError) console.log(target, error.code);
}
