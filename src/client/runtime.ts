import { homedir } from 'node:os';
import type { Platform } from '../config/platform.ts';
import { type Clock, sleepFor } from '../http/clock.ts';

// The only module of the client that touches the process.

export const CLOCK: Clock = { now: Date.now, random: Math.random, sleep: sleepFor };

/** Where profiles and proxies are configured. */
export function platform(): Platform {
  return { env: process.env, platform: process.platform, homedir: homedir(), cwd: process.cwd() };
}

/** Reports an error of a caller's hook, which must not fail the request that it observes. */
export function warnOfHook(name: string, error: unknown): void {
  process.emitWarning(
    `${name} threw: ${error instanceof Error ? error.message : String(error)}`,
    'GatectlWarning',
  );
}
