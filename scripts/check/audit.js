// Asks npm whether a weakness is known in anything that gatectl is built from: npm run check:audit. What it runs with is bundled, and
// stands among the development dependencies, so all of them count. A registry that answers no such question is said, and no failure.
import { execFileSync } from 'node:child_process';

const report = JSON.parse(audit());
const found = Object.values(report.vulnerabilities ?? {});
if (report.vulnerabilities === undefined) {
  process.stdout.write(
    `check:audit: the registry does not tell (${report.message ?? 'no reason given'}): nothing was checked\n`,
  );
} else {
  for (const { name, severity, range } of found) process.stdout.write(`${severity}: ${name} ${range}\n`);
  process.stdout.write(`check:audit: ${found.length} packages with known weaknesses\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

/** What npm prints; it fails where it found something, too. */
function audit() {
  try {
    return execFileSync('npm', ['audit', '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    return error.stdout;
  }
}
