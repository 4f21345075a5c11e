import type { Day } from '../../../apis/bda/days.ts';
import type { Context } from '../../framework/context.ts';
import type { Option } from '../../framework/define-command.ts';
import { DAY_FLAGS } from '../day-flags.ts';

/** The command line that resumes an export: the one that was typed, with `days` in place of words that mean other days tomorrow. */
export function resumeCommand(
  { resume, autoResume }: { readonly resume: Option<boolean>; readonly autoResume: Option<boolean> },
  days: { readonly from: Day | undefined; readonly to: Day | undefined } | undefined,
  context: Context,
): string {
  return context.commandLine({
    without: [resume, autoResume, ...(days === undefined ? [] : Object.values(DAY_FLAGS))],
    withArguments: true,
    add: [
      ...(days?.from === undefined ? [] : ['--from', days.from]),
      ...(days?.to === undefined ? [] : ['--to', days.to]),
    ],
  });
}
