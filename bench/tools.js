import { execFileSync } from 'node:child_process';

/** What a program says of itself first, its name and version, or undefined where it isn't installed. */
export function versionOf(program, flag = '--version') {
  try {
    const said = execFileSync(program, [flag], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return said.split('\n')[0].split(' ').slice(0, 2).join(' ');
  } catch {
    return undefined;
  }
}

/** Splits cases into those whose programs are there and the names of those that aren't. */
export function installed(cases) {
  const there = cases.filter(({ needs = [] }) => needs.every(program => versionOf(program) !== undefined));
  const missing = cases.flatMap(({ needs = [] }) =>
    needs.filter(program => versionOf(program) === undefined),
  );
  return { there, missing: [...new Set(missing)] };
}
