import { join } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { readFileSync } from '../../../files/disk.ts';

/** The settings of a service: a section of pg_service.conf, by name. Throws UsageError if no file has it. */
export function serviceIn(
  name: string,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): Map<string, string> {
  const files = [
    env.PGSERVICEFILE ?? join(home, '.pg_service.conf'),
    ...(env.PGSYSCONFDIR === undefined ? [] : [join(env.PGSYSCONFDIR, 'pg_service.conf')]),
  ];
  for (const file of files) {
    const section = sectionOf(file, name);
    if (section !== undefined) return section;
  }
  throw new UsageError(
    `invalid destination: there is no service ${JSON.stringify(name)} in ${files.join(' or ')}`,
    { code: 'invalid_input', hints: ['add it there, or set PGSERVICEFILE'] },
  );
}

function sectionOf(file: string, name: string): Map<string, string> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  let section: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[(.*)\]\s*$/.exec(line) ?? [];
    if (title !== undefined) {
      if (section !== undefined) return section;
      if (title === name) section = new Map();
      continue;
    }
    const [, key, value = ''] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined) section?.set(key, value);
  }
  return section;
}
