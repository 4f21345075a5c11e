import { GLOBAL_SCRIPT_FLAGS, type Offer, type ScriptFlag, type ScriptPage } from './script-page.ts';

/** The completion script for zsh: one function per command, based on `_arguments`. */
export function zshScript(pages: readonly ScriptPage[]): string {
  return `${HEAD}

_gatectl_flags_of_all=(
${GLOBAL_SCRIPT_FLAGS.map(flag => `  ${spec(flag)}`).join('\n')}
)
${pages.map(page => (page.commands.length > 0 && page.positions.length === 0 ? groupFunction(page) : leafFunction(page))).join('')}${BODY}`;
}

function leafFunction(page: ScriptPage): string {
  const { key, flags, positions, commands } = page;
  const arguments_ = positions.map(({ name, offer, isVariadic }, index) =>
    index === 0 && commands.length > 0
      ? `'1:${plain(name)}: ${functionName(key)}_first'`
      : quoted(`${isVariadic ? '*' : index + 1}:${plain(name)}:${action(offer)}`),
  );
  const specs = [...flags.map(spec), ...arguments_, '$_gatectl_flags_of_all'];
  return `${commands.length > 0 ? firstArgument(page) : ''}
${functionName(key)}() {
${commands.map(({ word }) => subcommandCall(key, word)).join('')}  _arguments -S : \\
${specs.map(line => `    ${line}`).join(' \\\n')}
}
`;
}

/** Completes the first argument of a command that also has subcommands. */
function firstArgument({ key, commands, positions: [first] }: ScriptPage): string {
  const specs = [
    `'commands:command:((${commands.map(described).join(' ')}))'`,
    ...(first === undefined || first.offer.kind === 'nothing'
      ? []
      : [quoted(`arguments:${plain(first.name)}:${action(first.offer)}`)]),
  ];
  return `
${functionName(key)}_first() {
  _alternative \\
${specs.map(line => `    ${line}`).join(' \\\n')}
}
`;
}

/** Passes the words of a subcommand to its function once the cursor is after its name. */
function subcommandCall(key: string, word: string): string {
  return `  if [[ $words[2] == ${word} ]] && (( CURRENT > 2 )); then
    shift words
    (( CURRENT -= 1 ))
    ${functionName(`${key} ${word}`)}
    return
  fi
`;
}

function groupFunction({ key, flags, commands }: ScriptPage): string {
  const specs = [
    ...flags.map(spec),
    '$_gatectl_flags_of_all',
    key === '' ? "'1:command: _gatectl_first_word'" : `'1:command:((${commands.map(described).join(' ')}))'`,
    "'*:::argument:->argument'",
  ];
  const cases = commands.map(({ word }) => {
    const name = functionName(key === '' ? word : `${key} ${word}`);
    return `        ${word}) ${name} && ret=0 ;;`;
  });
  return `${key === '' ? firstWord(commands) : ''}
${functionName(key)}() {
  local context state state_descr line ret=1
  typeset -A opt_args
  _arguments -C -S : \\
${specs.map(line => `    ${line}`).join(' \\\n')} && ret=0
  case $state in
    argument)
      words=("$line[1]" "\${(@)words}")
      (( CURRENT += 1 ))
      case $line[1] in
${cases.join('\n')}
      esac
      ;;
  esac
  return ret
}
`;
}

/** Completes the first word: commands, and aliases too. */
function firstWord(commands: ScriptPage['commands']): string {
  return `
_gatectl_first_word() {
  local -a words_of_gatectl=(
${commands.map(({ word, summary }) => `    ${quoted(`${word}:${summary}`)}`).join('\n')}
  )
  _describe -t commands command words_of_gatectl
  _gatectl_local alias
}
`;
}

function described({ word, summary }: { readonly word: string; readonly summary: string }): string {
  return `${word}\\:${inner(summary)}`;
}

/** One flag as `_arguments` reads it. */
function spec(flag: ScriptFlag): string {
  const { long, short, value, isValueOptional, isRepeatable, isVariadic, offer, summary } = flag;
  const names = short === undefined ? [long] : [short, long];
  const description = `[${plain(summary).replace(/[[\]]/g, '\\$&')}]`;
  const values = value === undefined ? '' : `${isValueOptional ? '::' : ':'}${plain(value)}:${action(offer)}`;
  const forms = names.map(name =>
    value === undefined ? name : name.startsWith('--') ? `${name}=` : `${name}+`,
  );
  const before =
    isRepeatable || isVariadic ? quoted('*') : names.length > 1 ? quoted(`(${names.join(' ')})`) : '';
  if (forms.length === 1) return `${before}${quoted(`${forms[0]}${description}${values}`)}`;
  return `${before}{${forms.join(',')}}${quoted(description + values)}`;
}

function action(offer: Offer): string {
  switch (offer.kind) {
    case 'nothing':
      return ' ';
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'words':
      return `(${offer.words.join(' ')})`;
    case 'local':
      // After a blank, so that zsh adds no arguments of its own before the kind.
      return ` _gatectl_local ${offer.value}`;
  }
}

function functionName(key: string): string {
  return `_gatectl_${key.replaceAll(' ', '_')}`;
}

/** Text within a part of a spec, which ends at a colon. */
function plain(text: string): string {
  return text.replace(/[\\:]/g, '\\$&');
}

/** Text within `((word\:text …))`, in single quotes. */
function inner(text: string): string {
  return text.replace(/[\\:()\s"']/g, '\\$&').replaceAll("'", "'\\''");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const HEAD = `#compdef gatectl
# Completion of gatectl for zsh. \`gatectl completion zsh\` prints it; it is made from the commands, so don't edit it.

# Values that gatectl knows on this machine, from profiles and from what was listed last.
_gatectl_local() {
  local kind=$1 line value
  local -a values about plain suffix
  local bin=\${(Q)gatectl_line[1]}
  (( $+commands[$bin] )) || [[ -x $bin ]] || bin=gatectl
  [[ $kind == filter ]] && suffix=(-S '')
  for line in "\${(@f)$($bin __complete $kind ".\${(Q)PREFIX}" "\${(@Q)gatectl_line[2,-1]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    values+=("\${\${value//\\\\/\\\\\\\\}//:/\\\\:}\${\${line#$value}/$'\\t'/:}")
  done
  (( $#values )) && _describe -t values "$kind" values $suffix
}`;

const BODY = `
_gatectl() {
  local -a gatectl_line=("\${(@)words[1,CURRENT-1]}")
  _gatectl_
}

if [[ $funcstack[1] == _gatectl ]]; then
  _gatectl "$@"
else
  compdef _gatectl gatectl
fi
`;
