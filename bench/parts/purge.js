import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from '../tools.js';
import { asking } from './export.js';

const URLS = 100_000;
const URLS_A_REQUEST = 100;
const CLEAR_SECONDS = 0.02;
const BARE_SCRIPT = fileURLToPath(new URL('../peers/purge.js', import.meta.url));
const BY_XARGS = 'xargs -P8 curl';

/** Purges of 100,000 URLs in requests of 100, compared with eight curls at a time. The ideal is the server's own time divided by eight. */
export function purgePart({ baseUrl, folder, bin, plainEnv, quick }) {
  const list = join(folder, 'urls.txt');
  const urls = Array.from(
    { length: URLS },
    (_, index) => `https://www.example.com/news/2026/article-${index}`,
  );
  writeFileSync(list, `${urls.join('\n')}\n`);
  const small = join(folder, 'few-urls.txt');
  writeFileSync(small, `${urls.slice(0, URLS / 10).join('\n')}\n`);
  const bodies = bodyFiles(urls, join(folder, 'bodies'));

  const env = { ...asking(baseUrl, plainEnv), GATECTL_CONFIG_DIR: folder };
  const gatectl = (file, lanes) => [
    process.execPath,
    ...[bin, 'cdn', 'purge', '--file', file, '--quiet', '--json'],
    ...(lanes === undefined ? [] : ['--concurrency', String(lanes)]),
  ];
  const curl = bulkClear(baseUrl, bodies);
  const ideal = lanes => ({
    of: 'the ideal',
    seconds: ((URLS / URLS_A_REQUEST) * CLEAR_SECONDS) / lanes,
  });
  const cases = [
    { name: BY_XARGS, needs: ['xargs', 'curl'], args: ['sh', '-c', curl], env: plainEnv, bars: [ideal(8)] },
    {
      name: 'a bare loop over undici, 8 at once',
      args: [process.execPath, BARE_SCRIPT, `${baseUrl}/cdnservices/bulkclearcache`, bodies],
      env: plainEnv,
      bars: [{ of: BY_XARGS }, ideal(8)],
    },
    {
      name: 'gatectl cdn purge',
      args: gatectl(list),
      env,
      most: 130,
      bars: [{ of: BY_XARGS, target: 0.55 }],
    },
    {
      name: 'gatectl cdn purge, 8 at once',
      args: gatectl(list, 8),
      env,
      most: 130,
      bars: [
        { of: BY_XARGS, target: 0.8 },
        { ...ideal(8), target: 1.25 },
      ],
    },
    {
      name: 'gatectl cdn purge, 16 at once',
      args: gatectl(list, 16),
      env,
      most: 130,
      bars: [{ of: BY_XARGS }, ideal(16)],
    },
    { name: 'gatectl cdn purge of 10,000 URLs', args: gatectl(small), env, most: 130 },
  ];
  const { there, missing } = installed(cases);
  return { name: 'purge', title: 'Purge of 100,000 URLs', cases: there, missing, rounds: quick ? 3 : 9 };
}

/** A shell command that sends the bodies of a list with eight curls at a time. */
export function bulkClear(baseUrl, bodies) {
  return `xargs -P8 -I{} curl -sS -o /dev/null -H 'Content-Type: application/json' --data-binary @{} ${baseUrl}/cdnservices/bulkclearcache < ${bodies}`;
}

/** The bodies of the requests as files, for curl; the path of a list of them. */
export function bodyFiles(urls, folder) {
  mkdirSync(folder);
  const paths = [];
  for (let at = 0; at < urls.length; at += URLS_A_REQUEST) {
    const path = join(folder, `${at}.json`);
    writeFileSync(path, JSON.stringify({ urls: urls.slice(at, at + URLS_A_REQUEST) }));
    paths.push(path);
  }
  const list = `${folder}.txt`;
  writeFileSync(list, `${paths.join('\n')}\n`);
  return list;
}
