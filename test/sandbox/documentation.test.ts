import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseFault, parseFixtures, SANDBOX_API_KEY, startSandbox } from '../../src/sandbox/index.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');

test('the fixtures in the documentation can be loaded', () => {
  const [, json = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(parseFixtures(json).domains[0]?.readers[0]?.email).toBe('ana@example.com');
});

test('every fault in the documentation is understood', () => {
  const rows = [...page.matchAll(/^\| (`[^|]*`) \|/gm)].map(match => match[1] ?? '');
  const specs = rows.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? ''));
  const faults = specs.filter(spec =>
    /^(status|delay|reset|truncate|drip|rate-limit|html|redirect|body)/.test(spec),
  );
  const conditions = specs.filter(spec => /^(path|method|count|after|every)=/.test(spec));
  expect(faults.length).toBeGreaterThan(10);
  expect(new Set(conditions.map(condition => condition.split('=')[0])).size).toBe(5);
  for (const fault of faults) expect(parseFault(fault).spec).toBe(fault);
  for (const condition of conditions) expect(parseFault(`reset,${condition}`).spec).toContain(condition);
});

test('the account in the documentation is the one that is served', async () => {
  const sandbox = await startSandbox();
  await sandbox.close();
  expect(page).toContain(SANDBOX_API_KEY);
  for (const { domain, id } of sandbox.domains)
    expect(page).toMatch(new RegExp(`\\| \`${domain}\` \\| ${id} \\|`));
  for (const { email } of sandbox.readers.filter(reader => reader.domain === 'example.com'))
    expect(page).toContain(`\`${email}\``);
});
