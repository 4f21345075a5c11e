import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { rawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';

const SILENT = { code: 0, stdout: '', stderr: '' };
const env = { GATECTL_DOMAIN: 'example.com' };

describe('with --quiet a job that succeeds prints nothing', () => {
  test.each([
    ['cdn ping'],
    ['cdn purge https://example.com/a https://example.com/b'],
    ['cdn purge --key frontpage,sports'],
    ['cdn purge --all --yes'],
  ])('%s', async line => {
    const words = [...line.split(' '), '--sandbox', '--quiet'];
    expect(await run(words, { env })).toEqual(SILENT);
    const { code, stdout, stderr } = await run([...words, '-o', 'json'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(line === 'cdn ping' ? { Success: true } : { failed: 0 });
  });

  test('profile add, set, use, unset and remove', async () => {
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    for (const line of [
      'add news --base-url https://gateway.example.com --domain example.com',
      'use news',
      'set domain news.example.com',
      'unset domain',
      'remove news',
    ])
      expect(await run(['profile', ...line.split(' '), '--quiet'], { env }), line).toEqual(SILENT);
  });

  test('and one that fails prints the error', async () => {
    const server = await rawServer(socket => {
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"Success":false,"Error":"no such site"}');
    });
    try {
      const { code, stdout, stderr } = await run(
        ['cdn', 'purge', 'https://example.com/a', '--quiet', '--base-url', server.baseUrl],
        { env: { GATECTL_API_KEY: 'some-key' } },
      );
      expect(code).toBe(5);
      expect(stdout).toContain('no such site');
      expect(stderr).toContain('no such site');
    } finally {
      await server.close();
    }
  });
});
