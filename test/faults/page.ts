import { HOSTILE_BUDGETS, HOSTILE_SERVERS } from '../../scripts/check/hostile-budgets.js';
import type { FaultGroup } from './fault-case.ts';

const HEAD = `# What can go wrong, and what gatectl does

Every line below is a test, and this page is made from those tests (\`npm run generate\`).
The exit codes are the same for every command. Whatever happens, stderr gets a few lines without control characters,
no stack trace and no secret; what was done before stays done, and what was not done is said.
`;

/** The page of faults: one table for each group, neighbours with the same outcome in one line. */
export function faultsPage(groups: readonly FaultGroup[]): string {
  return [HEAD, ...groups.map(section), budgets()].join('\n');
}

/** What commands may take, as `npm run check:hostile` holds them to. */
function budgets(): string {
  const servers = HOSTILE_SERVERS.map(({ name }) => `\`${name}\``).join(', ');
  const lines = HOSTILE_BUDGETS.map(
    ({ command, megabytes, seconds }) => `| \`${command}\` | ${megabytes} MB | ${seconds} s |`,
  );
  return `## Memory and time

\`npm run check:hostile\` runs every command that sends requests with \`--timeout 2 --retries 0\`, against servers that respond with:
${servers}.
It fails where a command takes more than its budget, prints a stack or exits with 1. Memory is the peak of the resident size,
some 60 MB of it Node's own; the time includes the start.

| command | memory | time |
| --- | --- | --- |
${lines.join('\n')}
`;
}

function section({ title, cases }: FaultGroup): string {
  const rows: { faults: string[]; does: string; exit: number }[] = [];
  for (const { fault, does, exit } of cases) {
    const last = rows.at(-1);
    if (last?.does === does && last.exit === exit) last.faults.push(fault);
    else rows.push({ faults: [fault], does, exit });
  }
  const lines = rows.map(
    ({ faults, does, exit }) => `| ${cell(faults.join('; '))} | ${cell(does)} | ${exit} |`,
  );
  return `## ${title}\n\n| what happens | what gatectl does | exit |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
