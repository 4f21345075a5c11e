import { HOSTILE_BUDGETS, HOSTILE_SERVERS } from '../../scripts/check/hostile-budgets.js';
import type { FaultGroup } from './fault-case.ts';

const HEAD = `# Faults, and how gatectl handles them

Look up a failure here: how gatectl handles it, and the exit code. Each row is a test, and the page is generated from these tests
(\`npm run generate\`).

Exit codes are the same for every command. An error is a few lines on stderr, without control characters, stack traces or
secrets. Finished work is kept; the rest is reported.
`;

/** The page of faults: one table for each group, neighbours with the same outcome in one line. */
export function faultsPage(groups: readonly FaultGroup[]): string {
  return [HEAD, ...groups.map(section), budgets()].join('\n');
}

/** The memory and time that commands may use, as `npm run check:hostile` holds them to. */
function budgets(): string {
  const servers = HOSTILE_SERVERS.map(({ name }) => `\`${name}\``).join(', ');
  const lines = HOSTILE_BUDGETS.map(
    ({ command, megabytes, seconds }) => `| \`${command}\` | ${megabytes} MB | ${seconds} s |`,
  );
  return `## Memory and time

\`npm run check:hostile\` runs every command that sends requests with \`--timeout 2 --retries 0\`, against servers that respond with:
${servers}.
It fails if a command exceeds its budget, prints a stack or exits with 1. Memory is the peak of the resident size,
some 60 MB of it for Node itself; the time includes the start.

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
