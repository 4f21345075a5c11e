import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KERNEL_MODULES, kernelModule } from '../../../scripts/build/kernel.js';

test.each(KERNEL_MODULES)('%s is compiled from what is written in kernel/', async path => {
  expect(readFileSync(path, 'utf8')).toBe(await kernelModule(path));
});
