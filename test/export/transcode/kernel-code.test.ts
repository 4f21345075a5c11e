import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KERNEL_MODULE, kernelModule } from '../../../scripts/build/kernel.js';

test('the compiled kernel is the one that is written in kernel/', async () => {
  expect(readFileSync(KERNEL_MODULE, 'utf8')).toBe(await kernelModule());
});
