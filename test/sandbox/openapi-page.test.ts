import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openApiPage } from '../../src/sandbox/openapi-page.ts';
import { openApiDocument } from '../../src/wire/openapi/index.ts';
import { ask, sandboxWith } from './asking.ts';

test('the sandbox serves a page that has every operation of the document and loads nothing', async () => {
  const sandbox = await sandboxWith({ brand: 'acme' });
  const { status, headers, text } = await ask(sandbox, '/openapi', { key: '' });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  for (const path of Object.keys(openApiDocument().paths)) expect(text).toContain(`<code>${path}</code>`);
  expect(text).toContain('X-Acme-Reader-Email');
  expect(text).toContain(`<code>${sandbox.baseUrl}</code>`);
  expect(text).not.toMatch(/\ssrc=|@import|url\(|<link/);
  expect(Buffer.byteLength(text)).toBeLessThan(400_000);
  const policy = headers.get('content-security-policy') ?? '';
  for (const tag of ['style', 'script']) {
    const [, inside = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text) ?? [];
    expect(inside).not.toBe('');
    expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`);
  }
  expect((await ask(sandbox, '/openapi', { method: 'POST', key: '' })).status).toBe(405);
});

test('markup in the document is shown as text', () => {
  const hostile = '"><script>alert(1)</script>';
  const document = openApiDocument({ baseUrl: hostile });
  const info = { title: hostile, description: hostile };
  const page = String(openApiPage({ ...document, info }).body);
  expect(page).not.toContain('<script>alert');
  expect(page).toContain('&quot;&gt;&lt;script&gt;alert(1)');
});
