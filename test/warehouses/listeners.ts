import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type Reply, wireServer } from '../support/wire-server.ts';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const SECRET = 'a secret of the test';
const MAP = `site: https://www.example.com
rules:
  - on: {type: article}
    urls: "{path}"
senders:
  cms: {format: json, env: CMS_SECRET, event: .}
`;

/** A receipt, as far as tests read it. */
interface Receipt {
  readonly id: string;
  readonly entry: string;
  readonly outcome: string;
  readonly accepted_at: string;
}

/** A listener that runs. */
export interface Listening {
  readonly child: ChildProcess;
  readonly origin: string;
}

/** Several listeners of one queue, and a gateway that records when it was asked to clear which page. */
export interface Listeners {
  /** By path, in milliseconds, in order. */
  readonly purged: ReadonlyMap<string, readonly number[]>;
  readonly receipts: readonly Receipt[];
  /** Lines of all logs. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** The processes that had the turn to purge, in order. */
  turns(): readonly (number | undefined)[];
  start(): Promise<Listening>;
}

/** A folder with a map, and the environment of listeners. */
export async function listeners(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
  reply: () => Reply | Promise<Reply> = () => ({ body: '{"Success":true,"Error":""}' }),
): Promise<Listeners> {
  const purged = new Map<string, number[]>();
  const server = await wireServer(async ({ body }) => {
    const response = await reply();
    if ((response.status ?? 200) === 200)
      for (const url of urlsIn(body)) {
        const { pathname } = new URL(url);
        purged.set(pathname, [...(purged.get(pathname) ?? []), Date.now()]);
      }
    return response;
  });
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'map.yaml'), MAP);
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const receipts: Receipt[] = [];
  const log: Record<string, unknown>[] = [];
  const start = async (): Promise<Listening> => {
    const child = spawn(
      process.execPath,
      [BIN, 'cdn', 'listen', '--map', 'map.yaml', '--port', '0', ...words],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: join(folder, 'config'),
          CMS_SECRET: SECRET,
          ...env,
        },
      },
    );
    running.add(child);
    child.once('exit', () => running.delete(child));
    onLine(child.stdout, line => receipts.push(JSON.parse(line)));
    const origin = await new Promise<string>((resolve, reject) => {
      child.once('exit', code => reject(new Error(`a listener ended with ${code}: ${JSON.stringify(log)}`)));
      onLine(child.stderr, line => {
        const entry = line.startsWith('{') ? JSON.parse(line) : { message: line };
        log.push({ ...entry, pid: child.pid });
        if (entry.message === 'listening') resolve(entry.origin);
      });
    });
    return { child, origin };
  };
  const turns = () =>
    log
      .filter(({ message }) => message === 'this listener purges now')
      .map(({ pid }) => pid as number | undefined);
  return { purged, receipts, log, turns, start };
}

/** The URLs of a request, which has one or several. */
function urlsIn(body: string): readonly string[] {
  const { url, urls = [url] } = JSON.parse(body);
  return urls;
}

function onLine(stream: NodeJS.ReadableStream, use: (line: string) => void): void {
  let rest = '';
  stream.on('data', chunk => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) use(line);
  });
}

/** Sends an event once; the status and the word of the response, or undefined if there is none. */
export async function sendEvent(
  origin: string,
  id: string,
  event: object,
): Promise<{ readonly status: number; readonly word: string } | undefined> {
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', SECRET).update(`${id}.${time}.${body}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${digest}`,
  };
  try {
    const response = await fetch(`${origin}/events/cms`, { method: 'POST', headers, body });
    const { status: word = '' } = (await response.json()) as { status?: string };
    return { status: response.status, word };
  } catch {
    return undefined;
  }
}

/** Resolves when something holds. */
export async function untilTrue(holds: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); ) {
    if (Date.now() > end) throw new Error('it does not hold in time');
    await sleep(50);
  }
}
