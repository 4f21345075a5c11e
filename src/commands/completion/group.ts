import { SHELLS, type Shell } from '../framework/context.ts';
import { defineCommand, type Group, type Leaf } from '../framework/define-command.ts';
import { install, uninstall } from '../framework/install-completions.ts';
import { TEXT } from '../framework/output-schema.ts';

function scriptCommand(shell: Shell, name: string, tryIt: string): Leaf {
  return defineCommand({
    name: shell,
    effect: 'read',
    summary: `print the completion script for ${name}`,
    description: `Prints the script that completes commands, flags and values in ${name}. gatectl completion install installs it.`,
    options: {},
    examples: {
      [tryIt]: 'in this shell only',
    },
    output: TEXT,
    async run(_, context) {
      await context.out.printText(await context.manual.completion(shell));
    },
  });
}

export const bash = scriptCommand('bash', 'bash', 'source <(gatectl completion bash)');
export const zsh = scriptCommand('zsh', 'zsh', 'source <(gatectl completion zsh)');
export const fish = scriptCommand('fish', 'fish', 'gatectl completion fish | source');
export const powershell = scriptCommand(
  'powershell',
  'PowerShell',
  'gatectl completion powershell | Out-String | Invoke-Expression',
);

export const completionGroup: Group = {
  name: 'completion',
  summary: 'install or print shell completions',
  description: `Completes commands, flags and values with Tab in ${SHELLS.join(', ')}. Values such as profiles, domains, columns and reports come from the profiles and from the latest listings: nothing is sent while you type.`,
  commands: [install, uninstall, bash, zsh, fish, powershell],
};
