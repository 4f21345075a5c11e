import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));

export interface Ran {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Of a running process; it has none by default. */
  readonly stdin?: 'pipe';
}

/** The environment of a user with an empty home and nothing set. */
export async function emptyHome(): Promise<{
  env: Record<string, string>;
  home: string;
  remove: () => Promise<void>;
}> {
  const home = await mkdtemp(join(tmpdir(), 'gatectl-home-'));
  return {
    home,
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

/** Starts the built bin without a terminal and waits for its end. Nothing of this process's environment reaches it. */
export async function gatectl(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [BIN, ...args], {
    reject: false,
    extendEnv: false,
    stripFinalNewline: false,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TZ: 'UTC', ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    input: options.input ?? '',
  });
  return { exitCode, stdout, stderr };
}

/** Starts the built bin and hands the running process over, for signals and servers. */
export function startGatectl(args: readonly string[], options: RunOptions = {}) {
  return execa(process.execPath, [BIN, ...args], {
    reject: false,
    extendEnv: false,
    stripFinalNewline: false,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TZ: 'UTC', ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdin: options.stdin ?? 'ignore',
  });
}

/** Starts an embedded gateway in a process of its own and waits until it says how to reach it. */
export async function serveSandbox(args: readonly string[], options: RunOptions = {}) {
  const server = startGatectl(['sandbox', 'serve', '--port', '0', '-o', 'json', ...args], options);
  let text = '';
  for await (const chunk of server.stdout) {
    text += chunk;
    try {
      return { server, ...(JSON.parse(text) as { baseUrl: string; apiKey: string }) };
    } catch {
      // The rest is on its way.
    }
  }
  throw new Error(`the sandbox did not start: ${text}`);
}
