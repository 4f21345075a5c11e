import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../tools.js';
import { asking } from './export.js';
import { bodyFiles, bulkClear } from './purge.js';

const READERS = 1_000;
const URLS = 50_000;
const BY_XARGS = 'xargs -P8 curl';
const FIXED = 'gatectl, 4 at once';
const DEFAULT = 'gatectl';

/**
 * Checks of readers and purges, without a configured number of requests in flight, compared with four and with eight curls: at a
 * server that takes 20 ms for each, and at one that bears eight and becomes slower with more.
 */
export function limiterParts(setting) {
  const { folder } = setting;
  const readers = Array.from({ length: READERS }, (_, index) => `reader-${index}@example.com`);
  const list = join(folder, 'readers.txt');
  writeFileSync(list, `${readers.join('\n')}\n`);
  const urls = Array.from({ length: URLS }, (_, index) => `https://www.example.com/news/article-${index}`);
  const urlList = join(folder, 'limiter-urls.txt');
  writeFileSync(urlList, `${urls.join('\n')}\n`);
  const bodies = bodyFiles(urls, join(folder, 'limiter-bodies'));
  const access = baseUrl => ({
    args: ['access', `@${list}`, '--product', 'premium', '--csv', '--quiet'],
    curl: `xargs -P8 -I{} curl -sS -o /dev/null -H 'X-API-Key: k' -H 'X-Service-Reader-Email: {}' '${baseUrl}/subscriptions/v1/access?domain=example.com&product=premium' < ${list}`,
  });
  const purge = baseUrl => ({
    args: ['cdn', 'purge', '--file', urlList, '--quiet', '--json'],
    curl: bulkClear(baseUrl, bodies),
  });
  const slow = `${setting.baseUrl}/slow`;
  const degrading = `${setting.baseUrl}/degrading`;
  return [
    part('access', `Access of ${READERS} readers, 20 ms each`, slow, access, setting),
    part('access-degrading', `Access of ${READERS} readers, degrading server`, degrading, access, setting),
    part('purge-degrading', `Purge of ${URLS} URLs, degrading server`, degrading, purge, setting),
  ];
}

function part(name, title, baseUrl, job, { bin, folder, plainEnv, quick }) {
  const { args, curl } = job(baseUrl);
  const env = { ...asking(baseUrl, plainEnv), GATECTL_CONFIG_DIR: folder };
  const gatectl = flags => [process.execPath, bin, ...args, ...flags];
  const cases = [
    { name: BY_XARGS, needs: ['xargs', 'curl'], args: ['sh', '-c', curl], env: plainEnv },
    { name: FIXED, args: gatectl(['--concurrency', '4']), env, bars: [{ of: BY_XARGS }] },
    { name: DEFAULT, args: gatectl([]), env, bars: [{ of: BY_XARGS }, { of: FIXED, target: 1 }] },
  ];
  const { there, missing } = installed(cases);
  return { name: `limiter-${name}`, title, cases: there, missing, rounds: quick ? 3 : 5 };
}
