import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  FINGERPRINTS,
  KERNEL_MODULES,
  kernelFingerprint,
  kernelModule,
} from '../../../scripts/build/kernel.js';
import { isFull } from '../../support/runs.ts';

const fingerprints: Record<string, string> = JSON.parse(readFileSync(FINGERPRINTS, 'utf8'));

test.each(KERNEL_MODULES)('%s is compiled from what is written in kernel/', async path => {
  const module = readFileSync(path, 'utf8');
  expect(fingerprints[path]).toBe(kernelFingerprint(path, module));
  if (isFull) expect(module).toBe(await kernelModule(path));
});
