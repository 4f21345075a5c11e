import { posix, win32 } from 'node:path';
import { environmentVariable } from '../../config/platform.ts';
import { cannotCombine, invalidValue, missingArgument, missingSetting } from '../../errors/usage.ts';
import type { Io } from '../../terminal/io.ts';
import { shellQuote } from '../../text/shell-words.ts';
import { SHELLS, type Shell } from './context.ts';

/** Where the completions of a shell are installed. */
interface CompletionPlace {
  /** The file of the script. */
  readonly script: string;
  /** The start-up file that loads it, and the lines for that; undefined where the shell finds the script by itself. */
  readonly startup?: { readonly path: string; readonly lines: readonly string[] };
}

type Home = Pick<Io, 'env' | 'homedir' | 'platform'>;

/** The shell to install for: the one that was named, or that of $SHELL, or PowerShell on Windows. Throws UsageError. */
export function chosenShell(
  given: { readonly name: string | undefined; readonly shell: Shell | undefined },
  { env, platform }: Home,
): Shell {
  const named = given.name === undefined ? given.shell : SHELLS.find(shell => shell === given.name);
  if (given.name !== undefined && named === undefined)
    throw invalidValue(`invalid shell '${given.name}'`, `one of: ${SHELLS.join(', ')}`);
  if (given.shell !== undefined && given.shell !== named)
    throw cannotCombine(`${given.name} and --shell ${given.shell}`, 'name one shell');
  if (named !== undefined) return named;
  const name = environmentVariable(env, 'SHELL')?.split('/').at(-1);
  const found = SHELLS.find(shell => shell === name) ?? (platform === 'win32' ? 'powershell' : undefined);
  if (found !== undefined) return found;
  throw missingArgument('cannot detect the shell', `add --shell with one of: ${SHELLS.join(', ')}`);
}

/** The files that completions of a shell take. Throws UsageError without a home folder. */
export function completionPlace(shell: Shell, around: Home): CompletionPlace {
  const { env, platform, homedir: home } = around;
  if (home === undefined) throw missingSetting('cannot install completions: no home folder', 'set HOME');
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix;
  const folder = (name: string, ...usual: string[]) => {
    const chosen = environmentVariable(env, name);
    return chosen !== undefined && isAbsolute(chosen) ? chosen : join(home, ...usual);
  };
  const data = folder('XDG_DATA_HOME', '.local', 'share');
  const config = folder('XDG_CONFIG_HOME', '.config');
  switch (shell) {
    case 'bash': {
      const script = join(data, 'bash-completion', 'completions', 'gatectl');
      // bash-completion loads the script on demand; a shell without it has to load it here.
      const isLoaded = 'declare -F _comp_load >/dev/null || declare -F _completion_loader >/dev/null';
      const path = join(home, platform === 'darwin' ? '.bash_profile' : '.bashrc');
      return { script, startup: { path, lines: [`${isLoaded} || source ${shellQuote(script)}`] } };
    }
    case 'zsh': {
      const functions = join(data, 'gatectl', 'zsh');
      const lines = [
        `fpath=(${shellQuote(functions)} $fpath)`,
        '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
        'autoload -Uz _gatectl && compdef _gatectl gatectl',
      ];
      const path = join(folder('ZDOTDIR'), '.zshrc');
      return { script: join(functions, '_gatectl'), startup: { path, lines } };
    }
    case 'fish':
      return { script: join(config, 'fish', 'completions', 'gatectl.fish') };
    case 'powershell': {
      const script = join(data, 'gatectl', 'completion.ps1');
      const profiles =
        platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const path = join(profiles, 'Microsoft.PowerShell_profile.ps1');
      return { script, startup: { path, lines: [`. '${script.replaceAll("'", "''")}'`] } };
    }
  }
}
