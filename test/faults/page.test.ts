import { expect, test } from 'vitest';
import { HOSTILE_BUDGETS, OFFLINE_COMMANDS } from '../../scripts/check/hostile-budgets.js';
import { leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { faultGroups } from './cases/index.ts';
import { faultsPage } from './page.ts';

test('docs/faults.md lists what the tests try; after a change, npm run generate', async () => {
  await expect(faultsPage(faultGroups)).toMatchFileSnapshot('../../docs/faults.md');
});

test('every command that sends requests has a budget of memory and time', () => {
  const names = leavesOf(tree).map(({ words }) => words.join(' '));
  const withoutBudget = names.filter(
    name =>
      !OFFLINE_COMMANDS.includes(name) &&
      !HOSTILE_BUDGETS.some(({ command }) => command === name || command.startsWith(`${name} --`)),
  );
  expect(withoutBudget).toEqual([]);
});
