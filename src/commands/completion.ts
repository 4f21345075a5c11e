import { UsageError } from '../errors/index.ts';
import { SHELLS } from './framework/context.ts';
import { defineCommand, optional } from './framework/define-command.ts';
import { TEXT } from './framework/output-schema.ts';

export const completion = defineCommand({
  name: 'completion',
  summary: 'print a completion script for a shell',
  description: `Prints the script that lets a shell complete gatectl's commands, flags and values with Tab. Profiles, domains, data sets, columns, reports and segments are completed from the profiles and from what was listed last with gatectl bda: nothing is sent while you type.

Store the script where your shell looks for it, then open a new shell. zsh looks into the folders of $fpath; PowerShell runs the file $PROFILE.`,
  arguments: { shell: optional('shell', `one of ${SHELLS.join(', ')}`, { completes: SHELLS }) },
  options: {},
  examples: [
    {
      does: 'for bash, with the bash-completion package',
      command: 'gatectl completion bash > ~/.local/share/bash-completion/completions/gatectl',
    },
    { does: 'for the current bash session only', command: 'source <(gatectl completion bash)' },
    { does: 'for zsh', command: 'gatectl completion zsh > ~/.zsh/completions/_gatectl' },
    { does: 'for fish', command: 'gatectl completion fish > ~/.config/fish/completions/gatectl.fish' },
    { does: 'for PowerShell', command: 'gatectl completion powershell >> $PROFILE' },
  ],
  output: TEXT,
  async run({ shell }, context) {
    const known = SHELLS.find(name => name === shell);
    if (known === undefined)
      throw new UsageError(shell === undefined ? 'which shell?' : `there is no completion for ${shell}`, {
        code: 'invalid_value',
        hints: [`one of: ${SHELLS.join(', ')}`],
      });
    await context.out.printText(await context.manual.completion(known));
  },
});
