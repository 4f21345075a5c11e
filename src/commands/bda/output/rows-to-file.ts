import { stateFolder } from '../../../config/platform.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import { exportRowsToFile, type RowFile, type RowFileEvent } from '../../../operations/rows/export-rows.ts';
import type { RowWork } from '../../../operations/rows/row-progress.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import type { RowsOutput } from './rows-output.ts';

/** Writes rows to the file of `--out`, unless `isRefused`, and prints what becomes of the rows of an interrupted export. */
export async function rowsToFile(
  output: RowsOutput,
  file: RowFile,
  isRefused: boolean,
  work: RowWork,
  context: Context,
): Promise<ExportStats> {
  const { flags, chart } = output;
  const { io, globals, log, prompt } = context;
  const baseUrl = (await context.settings()).baseUrl.value;
  // --curl writes no file, so nothing is resumed or discarded.
  const resume = flags.resume ? 'required' : flags.autoResume && !globals.curl ? 'auto' : 'never';
  const options = {
    ...({ manifest: flags.manifest, resume, isRefused, chart, baseUrl } as const),
    csvDialect: globals.csvDialect,
    decimals: globals.decimals === 'all' ? undefined : globals.decimals,
    gateway: globals.sandbox ? 'the sandbox' : (baseUrl ?? ''),
    account: () => accountText(context),
  };
  return await exportRowsToFile(output, file, options, {
    ...work,
    machine: lockMachine(context),
    stateFolder: stateFolder(io),
    env: io.env,
    isPrinting: globals.curl,
    mayDiscard: async (partial, count, changed) => {
      const rows = `${pluralize(count, 'row')} of another export (${changed.join(', ')})`;
      return (await prompt?.confirm(`${partial} contains ${rows}. Discard them?`)) ?? false;
    },
    onFile: event => {
      const text = eventText(event, output, flags.resume ? '' : '; to start again, add --no-resume');
      if (event.kind === 'interrupted') log.warn(text);
      else log.note(text);
    },
  });
}

function eventText(event: RowFileEvent, { readsStdin, resumeCommand }: RowsOutput, restart: string): string {
  const rows = pluralize(event.rows, 'row');
  if (event.kind === 'discarded') return `discarding ${rows} of an interrupted export`;
  if (event.kind === 'resumed')
    return event.hasAll
      ? `all rows were received before${restart}`
      : `resuming at row ${groupDigits(event.rows + 1)}${restart}`;
  const how = `run${readsStdin ? ' with the same stdin' : ''}: ${resumeCommand}`;
  const { partial, pages, unsentTo } = event;
  const are = event.rows === 1 ? 'is' : 'are';
  if (unsentTo !== undefined)
    return `${rows} ${are} complete in ${partial}, but not in ${unsentTo}; to upload without requesting them again, ${how}`;
  const received = pages === undefined ? '' : ` in ${pluralize(pages, 'page')}`;
  return `${rows}${received} ${are} kept in ${partial}; to resume, ${how}`;
}

/** The account, without its key: an export must not mix the rows of two accounts. */
async function accountText(context: Context): Promise<string> {
  if (context.globals.sandbox) return 'of the sandbox';
  const { profile, baseUrl } = await context.settings();
  // A profile may have a new key: one that was rejected is a usual reason for an interruption.
  if (profile.value !== undefined) return `profile ${profile.value}`;
  return `key with the hash ${await context.keyHash(`export from ${baseUrl.value}`)}`;
}
