import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { ListingCache, type NamedKind } from '../../src/apis/bda/listing-cache.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const COMPLETIONS = join(ROOT, 'completions');

/** The one-line description that a command, or one of its flags, declares: what every shell must show. */
export async function summaryOf(command: string, flag?: string): Promise<string> {
  const { stdout } = await execa(process.execPath, [
    join(ROOT, 'bin/gatectl.js'),
    'schema',
    ...command.split(' '),
  ]);
  const schema = JSON.parse(stdout) as {
    summary: string;
    flags: readonly { name: string; summary: string }[];
  };
  const declared = flag === undefined ? schema : schema.flags.find(({ name }) => name === flag);
  if (declared === undefined) throw new Error(`${command} has no flag ${flag}`);
  return declared.summary;
}

/** A user with gatectl on the path, two profiles, lists of one of them, and a folder with files. */
export interface User {
  readonly env: Record<string, string>;
  readonly folder: string;
  /** The lists of its profile. */
  readonly listings: ListingCache;
  /** How many requests reached the gateway of the profile. */
  readonly requests: () => number;
  readonly remove: () => Promise<void>;
}

export async function newUser(): Promise<User> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const home = mkdtempSync(join(tmpdir(), 'gatectl-shells-'));
  const [bin, folder, config] = ['bin', 'work', '.config/gatectl'].map(name => join(home, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [bin, folder, config]) mkdirSync(path, { recursive: true, mode: 0o700 });
  symlinkSync(join(ROOT, 'bin/gatectl.js'), join(bin, 'gatectl'));
  for (const name of ['urls.txt', 'query.json']) writeFileSync(join(folder, name), '');
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({
      version: 1,
      current: 'news',
      profiles: {
        news: { 'base-url': baseUrl, domain: 'example.com' },
        staging: { 'base-url': 'https://staging.example.com', domain: 'staging.example.com' },
      },
    }),
  );
  const listings = new ListingCache(join(home, '.cache/gatectl'), { baseUrl, profile: 'news' });
  await cacheListings(listings);
  return {
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
      HOME: home,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      COLUMNS: '100',
      HISTFILE: '',
    },
    folder,
    listings,
    requests: () => requests,
    remove: async () => {
      await new Promise(resolve => server.close(resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function cacheListings(cache: ListingCache): Promise<void> {
  const columns = [
    { name: 'country', type: 'string', description: 'Two-letter country code' },
    { name: 'device', type: 'string', description: "The reader's device: desktop, mobile or tablet" },
    { name: 'visits', type: 'number', description: 'Visits' },
  ];
  await cache.writeColumns(columns, 0);
  const names: Record<NamedKind, string[]> = {
    domain: ['example.org'],
    'data-set': ['pageview', 'visit'],
    report: ['Pages', 'Top "best" pages', 'Site days', 'Site pages'],
    'custom-report': [],
    segment: ['Mobile readers'],
  };
  for (const [kind, list] of Object.entries(names))
    await cache.writeNames(
      kind as NamedKind,
      list.map(name => ({ name })),
      0,
    );
}
