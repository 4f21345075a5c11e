import { UsageError } from '../../../errors/index.ts';
import { stat } from '../../../files/disk.ts';
import { secretsInArgv } from '../../../text/redactor.ts';
import type { Context } from '../../framework/context.ts';
import { inputName, jsonFile, readInput } from '../../framework/json-input.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import {
  type MigrationSource,
  readMigrationSource,
  type ShellValues,
  sourceFromCurl,
  sourceFromUrl,
  withReport,
} from '../flags/migration-source.ts';

/** Reads the request that the flags name. Throws UsageError or FileError. */
export async function sourceFromFlags(flags: MigrateFlags, context: Context): Promise<MigrationSource> {
  const named = [
    flags.report === undefined ? '' : '--report',
    flags.customReport === undefined ? '' : '--custom-report',
    flags.url === undefined ? '' : '--url',
    flags.fromCurl ? '--from-curl' : '',
  ].filter(flag => flag !== '');
  if (named.length > 1)
    throw new UsageError(`${named[0]} and ${named[1]} cannot be combined`, {
      code: 'conflicting_options',
      hints: ['pass only one of them'],
    });
  const given = await inputFrom(flags, context);
  const address = await addressOf(flags, context);
  if (given === undefined && address === undefined)
    throw new UsageError('no request given', {
      code: 'missing_argument',
      hints: [
        'pass a file with a v1 request, or - for stdin',
        'or pass --report NAME, --custom-report ID, --url URL or --from-curl',
      ],
    });
  return withReport(given, address ?? {}, { name: inputName(flags.file ?? '-'), option: named[0] });
}

async function inputFrom(
  { file, fromCurl, set }: MigrateFlags,
  context: Context,
): Promise<MigrationSource | undefined> {
  const source = file ?? (fromCurl ? '-' : undefined);
  const values = shellValues(set);
  if (source === undefined) {
    if (set.length === 0) return undefined;
    throw new UsageError('--set requires a curl command', {
      code: 'missing_argument',
      hints: ['pass it as FILE, on stdin or quoted'],
    });
  }
  const pasted = pastedAs(source);
  const text = pasted === undefined ? await textOf(source, context) : source;
  const name = pasted ?? inputName(source);
  for (const variable of Object.keys(values))
    if (!new RegExp(`\\$\\{?${variable}\\b`).test(text))
      throw new UsageError(`--set ${variable}: ${name} has no variable $${variable}`, {
        code: 'invalid_input',
      });
  return fromCurl
    ? await sourceFromCurl(text, name, values, { signal: context.signal })
    : await readMigrationSource(text, name, values, { signal: context.signal });
}

/** Parses `--set NAME=VALUE`. Throws UsageError. */
export function shellValues(set: readonly string[]): ShellValues {
  return Object.fromEntries(
    set.map(given => {
      const [, name, value] = /^\$?(\w+)=(.*)$/s.exec(given) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--set requires NAME=VALUE, not '${given}'`, {
          hints: ['example: --set START=2026-03-01'],
        });
      return [name, value];
    }),
  );
}

/** The name, in messages, of an argument that is itself a URL or a curl command; undefined for a file name. */
function pastedAs(argument: string): string | undefined {
  if (/^\s*https?:\/\//.test(argument)) return 'the URL';
  return /^\s*(\$\s+)?(\S*[\\/])?curl(\.exe)?\s/.test(argument) ? 'the curl command' : undefined;
}

async function textOf(file: string, context: Context): Promise<string> {
  if (file !== '-' && (await isFolder(file)))
    throw new UsageError(`${file} is a folder`, {
      hints: ['to convert a folder of requests, pass --out-dir FOLDER'],
    });
  const text = await readInput(file, context);
  // An error may quote the input, so its keys are redacted.
  for (const key of secretsInArgv(text)) context.redactor.add(key);
  return text;
}

/** The report that the flags name. */
async function addressOf(
  flags: MigrateFlags,
  context: Context,
): Promise<Omit<MigrationSource, 'request'> | undefined> {
  if (flags.report !== undefined) return { reportName: flags.report };
  if (flags.customReport !== undefined) return await customReport(flags.customReport, context);
  if (flags.url === undefined) return undefined;
  const { request: _, isPageAssumed: __, ...address } = sourceFromUrl(flags.url, '--url');
  return address;
}

async function customReport(given: string, context: Context): Promise<Omit<MigrationSource, 'request'>> {
  if (/^\d+$/.test(given) || !(await isFile(given))) return { customReportId: given };
  return { customReport: await jsonFile(given, context) };
}

/** Whether the value is a file, or looks like a file name, so that reading it fails with a clear message. */
async function isFile(given: string): Promise<boolean> {
  if (/[\\/]|\.json$/i.test(given)) return true;
  return await stat(given).then(
    stats => !stats.isDirectory(),
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    stats => stats.isDirectory(),
    () => false,
  );
}
