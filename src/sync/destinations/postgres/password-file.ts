import { readFileSync, statSync } from '../../../files/disk.ts';

/** What a line of a password file is compared with. */
interface Login {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/**
 * The password for a login in a file of lines `host:port:database:user:password`, as libpq reads it: `*` matches anything, and a
 * backslash escapes a colon or a backslash. Undefined without such a line, and for a file that others may read. The package of pg that
 * reads these files takes the environment from the process, and prints warnings itself.
 */
export function passwordIn(path: string, login: Login): string | undefined {
  if (isReadableByOthers(path)) return undefined;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const hosts = login.host.startsWith('/') ? [login.host, 'localhost'] : [login.host];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const [host, port, database, user, password] = fieldsOf(line);
    const matches = (field: string | undefined, values: readonly string[]) =>
      field === '*' || (field !== undefined && values.includes(field));
    if (
      password !== undefined &&
      matches(host, hosts) &&
      matches(port, [login.port]) &&
      matches(database, [login.database]) &&
      matches(user, [login.user])
    )
      return password;
  }
  return undefined;
}

/** Whether libpq ignores a password file, because others than its owner may read it. */
export function isReadableByOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

/** The first four fields, and the rest of the line. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\' && at + 1 < line.length) field += line[++at];
    else if (line[at] === ':' && fields.length < 4) {
      fields.push(field);
      field = '';
    } else field += line[at];
  }
  return [...fields, field];
}
