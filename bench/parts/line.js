import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LINE_PAGE_ROWS, LINE_PAGES } from '../line/size.js';
import { DIMENSIONS, METRICS } from '../rows.js';
import { installed } from '../tools.js';
import { asking } from './export.js';

const MEGABITS = [20, 100, 1000];
const THINK_MS = [0, 100, 500, 2000];
/** gatectl has no more requests in flight unless told to. */
const IN_FLIGHT = 4;

const script = path => fileURLToPath(new URL(path, import.meta.url));
const GATECTL = 'gatectl, csv';
export const PEERS = {
  curl: 'curl --compressed, page after page',
  xargs: 'xargs -P4 curl --compressed',
  python: 'python: urllib, gzip, json, csv',
  node: 'node: fetch, JSON.parse, csv',
  duckdb: 'curl --compressed and DuckDB, csv',
};

/** Whether a peer is compared: all are, or those that LINE_PEERS=curl,xargs names. */
const isCompared = name =>
  process.env.LINE_PEERS === undefined || process.env.LINE_PEERS.split(',').some(key => PEERS[key] === name);

/**
 * The same rows over lines of different speed, from servers that think for different times. Resolves to a part for each cell of the
 * grid, and to how the line is taken down.
 */
export async function lineParts({ folder, bin, plainEnv, quick }) {
  const server = fork(script('../line/server.js'));
  const [{ port, bytes }] = await once(server, 'message');
  const link = spawn('python3', [script('../line/link.py'), port, ...MEGABITS].map(String), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(link.stdout), 'line');
  const ports = JSON.parse(line);
  const speeds = quick ? [100] : MEGABITS;
  const parts = speeds.flatMap(megabits =>
    THINK_MS.map(think => {
      const baseUrl = `http://127.0.0.1:${ports[MEGABITS.indexOf(megabits)]}/${think}`;
      return part({ megabits, think, baseUrl, bytes, folder, bin, plainEnv });
    }),
  );
  const close = () => {
    link.stdin.end();
    server.disconnect();
  };
  return { parts, close };
}

/**
 * The shortest time in which anybody can have all pages with so many requests in flight: the server thinks of each page once, further
 * pages are requested when earlier ones have come, and all bytes pass the line. In seconds.
 */
export function bound({ megabits, think, bytes }) {
  const done = [];
  for (const [page, count] of bytes.entries()) {
    const requested = done[page - IN_FLIGHT] ?? 0;
    const begun = Math.max(requested + think / 1000, done[page - 1] ?? 0);
    done.push(begun + (count * 8) / (megabits * 1e6));
  }
  return done.at(-1);
}

function part({ megabits, think, baseUrl, bytes, folder, bin, plainEnv }) {
  const url = `${baseUrl}/gateway/bdaservices/v2/query`;
  const out = name => join(folder, name);
  const common = [url, String(LINE_PAGES), String(LINE_PAGE_ROWS)];
  const least = bound({ megabits, think, bytes });
  const bodies = Array.from({ length: LINE_PAGES }, (_, page) =>
    JSON.stringify({ limit: LINE_PAGE_ROWS, offset: page * LINE_PAGE_ROWS }),
  );
  const loop = join(folder, `line-${megabits}-${think}.conf`);
  writeFileSync(
    loop,
    bodies.map(body => `url = "${url}"\ncompressed\ndata = ${JSON.stringify(body)}`).join('\nnext\n'),
  );
  const list = join(folder, 'line-bodies');
  writeFileSync(list, bodies.map(body => `${body.replaceAll('"', '\\"')}\n`).join(''));
  const cases = [
    { name: PEERS.curl, needs: ['curl'], args: ['curl', '-sS', '-K', loop], out: out('line-curl.json') },
    {
      name: PEERS.xargs,
      needs: ['curl'],
      args: ['sh', '-c', `xargs -P4 -I{} curl -sS --compressed -d {} ${url} < ${list}`],
      out: out('line-xargs.json'),
    },
    {
      name: PEERS.python,
      needs: ['python3'],
      args: ['python3', script('../peers/line.py'), ...common, out('l.csv')],
    },
    { name: PEERS.node, args: [process.execPath, script('../peers/line.js'), ...common, out('l.csv')] },
    ...(megabits === 100
      ? [
          {
            name: PEERS.duckdb,
            needs: ['curl'],
            args: [process.execPath, script('../peers/line-duckdb.js'), ...common, folder],
          },
        ]
      : []),
    {
      name: GATECTL,
      args: gatectl(bin, out('line.csv')),
      env: asking(baseUrl, plainEnv),
      most: 150,
      bars: [
        { of: 'the bound', seconds: least, target: 1.25, beyond: 1.1 },
        // The cell that has a target of its own.
        { of: PEERS.curl, ...(megabits === 100 && think === 500 && { target: 0.55 }) },
        ...[PEERS.xargs, PEERS.python, PEERS.node].map(of => ({ of })),
        ...(megabits === 100 ? [{ of: PEERS.duckdb }] : []),
      ].filter(({ of, seconds }) => seconds !== undefined || isCompared(of)),
    },
  ]
    .filter(({ name }) => name === GATECTL || isCompared(name))
    .map(each => ({ env: plainEnv, ...each }));
  const { there, missing } = installed(cases);
  return {
    name: `line-${megabits}-${think}`,
    title: `${megabits} Mbit/s, ${think} ms a page`,
    line: { megabits, think, bound: least },
    cases: there,
    missing,
    rounds: think === 2000 ? 1 : think === 500 ? 2 : 3,
    warmUp: false,
  };
}

function gatectl(bin, out) {
  const columns = ['-d', DIMENSIONS.join(','), '-m', METRICS.join(',')];
  const days = ['--from', '2026-01-01', '--to', '2026-01-31'];
  const query = [
    'bda',
    'query',
    '--data-set',
    'rows',
    ...columns,
    ...days,
    '--page-size',
    String(LINE_PAGE_ROWS),
  ];
  return [process.execPath, bin, ...query, '--all', '--out', out, '--quiet'];
}
