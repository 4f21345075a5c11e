import type { Page } from '../manual/surface.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { powershellScript } from './powershell.ts';
import { type ScriptPage, scriptPages } from './script-page.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

/** The completion script for a shell, generated from the commands. */
export function completionScript(shell: keyof typeof SCRIPTS, pages: readonly Page[]): string {
  const write: (pages: readonly ScriptPage[]) => string = SCRIPTS[shell];
  return write(scriptPages(pages));
}
