import type { Shell } from '../../commands/framework/context.ts';

/** The completion script for a shell. It passes the command line to `gatectl __complete` and offers what that prints. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/** For bash 3.2 (that of macOS) and newer. Bash inserts candidates as they are. */
const BASH = `# Completion of gatectl for bash. gatectl completion bash prints it.

_gatectl() {
  local IFS=$' \\t\\n' bin=$1 line='' kind=''
  COMPREPLY=()
  type -P -- "$bin" >/dev/null || bin=gatectl
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$bin" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" "$COMP_TYPE" "\${COLUMNS:-80}" 2>/dev/null </dev/null)
  case $kind in
    open*) compopt -o nospace 2>/dev/null ;;
    folders*) compopt -o dirnames 2>/dev/null ;;
    files*)
      compopt -o default 2>/dev/null && return
      # Bash 3.2 has no compopt, and inserts file names as they are too: it gets those that need no quotes.
      while IFS= read -r line; do
        [[ $line == *[!A-Za-z0-9_./,@%+-]* ]] || COMPREPLY+=("$line")
      done < <(compgen -f -- "$2")
      ;;
  esac
}

complete -F _gatectl gatectl
`;

/** For zsh 5 and newer, which quotes candidates itself. */
const ZSH = `#compdef gatectl
# Completion of gatectl for zsh. gatectl completion zsh prints it.

_gatectl() {
  local quote=$compstate[quote] bin=\${(Q)words[1]} tab=$'\\t' kind before line value
  local current=\${(Q)\${:-$quote$PREFIX\${quote#\\$}}}
  local -a lines closed open
  (( $+commands[$bin] )) || [[ -x $bin ]] || bin=gatectl
  lines=("\${(@f)$("$bin" __complete zsh ".$current" "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null </dev/null)}")
  kind=\${lines[1]%%$tab*} before=\${lines[1]#*$tab}
  [[ -z $before ]] || compset -P "$before"
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$tab*}
    if [[ $kind == flags && $value == *= ]]; then
      open+=("\${value%=}:\${line#*$tab}")
    else
      closed+=("\${\${value//\\\\/\\\\\\\\}//:/\\\\:}:\${line#*$tab}")
    fi
  done
  case $kind in
    flags) _describe -o option closed -- open -qS= ;;
    open) _describe -t values value closed -S '' ;;
    files) _alternative 'values:value:{ (( $#closed )) && _describe -t values value closed }' 'files:file:_files' ;;
    folders) _files -/ ;;
    values) _describe -t values value closed ;;
  esac
}

if [[ $funcstack[1] == _gatectl ]]; then
  _gatectl "$@"
else
  compdef _gatectl gatectl
fi
`;

/** For fish 3.1 and newer, which quotes candidates itself. */
const FISH = `# Completion of gatectl for fish. gatectl completion fish prints it.

function __gatectl_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l current (string unescape -- "$token")
    set -l bin $words[1]
    type -q -- $bin; or set bin gatectl
    set -l lines ($bin __complete fish ".$current" $words[2..-1] 2>/dev/null </dev/null)
    set -l header (string split \\t -- "$lines[1]")
    set -l path (string sub -s (math 1 + (string length -- "$header[2]")) -- "$token")
    switch "$header[1]"
        case files
            for file in (complete -C "'' $path")
                printf '%s%s\\n' "$header[2]" $file
            end
        case folders
            for folder in (__fish_complete_directories "$path" '')
                printf '%s%s\\n' "$header[2]" $folder
            end
    end
    for line in $lines[2..-1]
        printf '%s\\n' $line
    end
end

complete -c gatectl -f -a '(__gatectl_complete)'
`;

/** For PowerShell 5.1 and newer, which inserts candidates as they are. */
const POWERSHELL = `# Completion of gatectl for PowerShell. gatectl completion powershell prints it.

Register-ArgumentCompleter -Native -CommandName gatectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or
            ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') })
    $words = @($elements | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $start = $elements[-1].Extent.EndOffset
    $typed = $commandAst.Extent.StartScriptPosition.GetFullScript().Substring($start, $cursorPosition - $start)
    $quoted = if ($typed -match '[''"\\u2018-\\u201f]') { 'yes' } else { 'no' }
    $current = $wordToComplete.Trim('''"')
    $rest = @($words | Select-Object -Skip 1)
    # An empty argument gets lost on the way to a program in older PowerShells, so the word travels with a mark.
    $header, $lines = @(& $words[0] __complete powershell $quoted ".$current" @rest 2>$null)
    if (-not $header) { return }
    $kind, $before = $header.Split("\`t", 2)
    if ($kind -eq 'files' -or $kind -eq 'folders') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($before.Length)) | ForEach-Object {
            # PowerShell may keep the open quote before the cursor, in which these are alive.
            if ($quoted -eq 'no' -or $_.CompletionText -notmatch '[$\`"\\u201c-\\u201f]') {
                [System.Management.Automation.CompletionResult]::new(
                    $before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
    }
    foreach ($line in $lines) {
        $text, $value, $summary = $line.Split("\`t", 3)
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
`;

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
