import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/cli/error-codes.ts';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import { ERROR_CODES } from '../../src/errors/codes.ts';
import { InterruptedError } from '../../src/errors/index.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !path.startsWith('sandbox') && !path.endsWith('errors/codes.ts'))
  .map(path => readFileSync(join(SRC, path), 'utf8'));

const catalogue = Object.values(ERROR_CODES).flatMap(codes => Object.keys(codes));

describe('the catalogue of error codes', () => {
  test('has each code once, in snake_case', () => {
    expect(new Set(catalogue).size).toBe(catalogue.length);
    expect(catalogue.filter(code => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code))).toEqual([]);
  });

  test('has every code that an error is made with', () => {
    const made = sources.flatMap(text => [...text.matchAll(/\bcode: '(\w+)'/g)].map(([, code]) => code));
    expect(made.length).toBeGreaterThan(150);
    expect([...new Set(made)].filter(code => !catalogue.includes(code ?? ''))).toEqual([]);
  });

  test('has no code that no error can have', () => {
    const isUsed = (code: string) => sources.some(text => text.includes(`'${code}'`));
    expect(catalogue.filter(code => !isUsed(code))).toEqual([]);
  });

  test('gives each code the exit code of its errors', () => {
    const exits = Object.fromEntries(errorCodes().map(({ code, exit }) => [code, exit]));
    expect(Object.keys(exits).sort()).toEqual(catalogue.toSorted());
    expect(exits).toMatchObject({ invalid_usage: 2, no_key: 4, rejected: 5, timeout: 6, invalid_json: 6 });
    expect(exits).toMatchObject({ partial_failure: 7, rate_limit_exceeded: 8, disk_full: 9, internal: 1 });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const error = new InterruptedError(signal);
      expect(exits[error.code]).toBe(exitCodeOf(error));
    }
  });
});
