import { expect, test } from 'vitest';
import { faultGroups } from './cases/index.ts';
import { faultsPage } from './page.ts';

test('docs/faults.md tells what the tests try; after a change, npm run generate', async () => {
  await expect(faultsPage(faultGroups)).toMatchFileSnapshot('../../docs/faults.md');
});
