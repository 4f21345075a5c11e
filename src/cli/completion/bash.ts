import { GLOBAL_SCRIPT_FLAGS, type Offer, type ScriptFlag, type ScriptPage } from './script-page.ts';

/** The completion script for bash 3.2 (that of macOS) and newer. */
export function bashScript(pages: readonly ScriptPage[]): string {
  return `${HEAD}
__gatectl_load() {
  commands='' flags='' positions=()
  case $1 in
${pages.map(branch).join('\n')}
  esac
  flags+=${rows(GLOBAL_SCRIPT_FLAGS.map(flagRow))}
  commands=\${commands%$'\\n'} flags=\${flags%$'\\n'}
}
${BODY}`;
}

function branch({ key, commands, flags, positions }: ScriptPage): string {
  const lines = [`    '${key}')`];
  if (commands.length > 0)
    lines.push(`      commands=${rows(commands.map(({ word, summary }) => `${word}\t${summary}`))}`);
  if (flags.length > 0) lines.push(`      flags=${rows(flags.map(flagRow))}`);
  if (positions.length > 0) {
    const offers = positions.map(({ offer, isVariadic }) => ansi((isVariadic ? '+' : '') + code(offer)));
    lines.push(`      positions=(${offers.join(' ')})`);
  }
  return [...lines, '      ;;'].join('\n');
}

/** Lines of text as one bash word, one per source line. */
function rows(texts: readonly string[]): string {
  return texts.map(text => ansi(`${text}\n`)).join('\\\n');
}

/** `-d,--dimension<TAB>*@column<TAB>columns to group by`: names, kind of value, and summary. */
function flagRow(flag: ScriptFlag): string {
  const { long, short, value, isValueOptional, isVariadic, isRepeatable, offer, summary } = flag;
  const names = short === undefined ? long : `${short},${long}`;
  const marks = (isRepeatable ? '*' : '') + (isVariadic ? '+' : '') + (isValueOptional ? '?' : '');
  return [names, marks + (value === undefined ? '!' : code(offer)), summary].join('\t');
}

function code(offer: Offer): string {
  switch (offer.kind) {
    case 'nothing':
      return '-';
    case 'files':
      return 'f';
    case 'folders':
      return 'd';
    case 'words':
      return `=${offer.words.join(' ')}`;
    case 'local':
      return `@${offer.value}`;
  }
}

/** Text as a bash word: `$'…'`, which shows line breaks and tabs. */
function ansi(text: string): string {
  const escaped = text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `$'${escaped}'`;
}

const HEAD = `# Completion of gatectl for bash. \`gatectl completion bash\` prints it; it is made from the commands, so don't edit it.

# What the command with these words takes. A line of commands and flags is WORD<TAB>…<TAB>SUMMARY. What a flag's value
# is: ! none, - anything, f a file, d a folder, =a b c one of some words, @kind a value that gatectl knows on this
# machine; before it * for a flag that may come again, + for one that takes all words up to the next flag, ? for one that may
# stand without its value.`;

const BODY = `
# The words up to the cursor, put together again where bash broke them at = and :, which don't end a word for gatectl.
__gatectl_words() {
  local rest=\${COMP_LINE:0:COMP_POINT} before word i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    before=$rest
    rest=\${rest#"\${rest%%[![:blank:]]*}"}
    word=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if [[ $i -gt 0 && $before == "$rest" ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    rest=\${rest#"$word"}
  done
}

# A word without the quotes and backslashes that the shell takes away.
__gatectl_plain() {
  plain=$1
  case $plain in
    \\'*) plain=\${plain#\\'} plain=\${plain%\\'} ;;
    \\"*) plain=\${plain#\\"} plain=\${plain%\\"} ;;
    *) plain=\${plain//\\\\/} ;;
  esac
}

# The value code of a flag of the command in hand; empty where it has no such flag.
__gatectl_value() {
  local names offer summary
  value=''
  while IFS=$'\\t' read -r names offer summary; do
    case ,$names, in *,"$1",*) value=\${offer#\\*} ;; esac
  done <<<"$flags"
}

# Offers what a value code stands for.
__gatectl_offer() {
  local offer=\${1#[+?]} bin word
  case $offer in
    =*)
      for word in \${offer#=}; do candidates+=("$word"); done
      ;;
    f | d)
      compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current"))
      [[ $offer == d ]] && compopt -o dirnames +o default 2>/dev/null
      ;;
    @*)
      bin=$command
      type -P -- "$bin" >/dev/null || bin=gatectl
      # No space before an operator.
      [[ $offer == @filter ]] && compopt -o nospace 2>/dev/null
      while IFS= read -r word; do
        candidates+=("$word")
      done < <("$bin" __complete "\${offer#@}" ".$current" "\${given[@]}" 2>/dev/null)
      ;;
  esac
}

# Turns candidates (WORD or WORD<TAB>SUMMARY) into what bash inserts, or shows where there are several.
__gatectl_reply() {
  local candidate word summary found=() summaries=() longest=0 start=0 width quoted='' breaks='' before i
  case $typed in
    [\\'\\"]*) quoted=1 ;;
  esac
  # bash replaces only what follows the last = or :, unless COMP_WORDBREAKS was changed.
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  if [[ -z $quoted && -n $breaks && $whole == *["$breaks"]* ]]; then
    word=\${whole%"\${whole##*["$breaks"]}"}
    start=\${#word}
  fi
  before=\${whole%"$typed"}
  for candidate in "\${candidates[@]}"; do
    word=\${candidate%%$'\\t'*}
    [[ $word == "$current"* ]] || continue
    summaries+=("\${candidate#"$word"}")
    if [[ -z $quoted ]]; then
      [[ $word == *[!A-Za-z0-9_./:,=@%+-]* ]] && printf -v word '%q' "$word"
      word=$before$word
      word=\${word:start}
    fi
    found+=("$word")
    ((\${#word} > longest)) && longest=\${#word}
  done
  for ((i = 0; i < \${#found[@]}; i++)); do
    word=\${found[i]}
    summary=\${summaries[i]#$'\\t'}
    if [[ \${#found[@]} -gt 1 && -n $summary && $COMP_TYPE != 37 && $COMP_TYPE != 42 ]]; then
      width=$((\${COLUMNS:-80} - longest - 6))
      ((\${#summary} > width)) && summary="\${summary:0:width > 0 ? width : 0}…"
      printf -v word '%-*s  (%s)' "$longest" "$word" "$summary"
    fi
    COMPREPLY+=("$word")
  done
}

_gatectl() {
  local command=$1 commands flags positions value plain words
  local IFS=$' \\t\\n' path='' flag='' seen=' ' position=0 only_words='' i word given=() candidates=()
  COMPREPLY=()
  __gatectl_words
  local whole=\${words[\${#words[@]}-1]}
  local typed=$whole current
  __gatectl_load ''
  for ((i = 1; i < \${#words[@]} - 1; i++)); do
    __gatectl_plain "\${words[i]}"
    word=$plain
    given+=("$word")
    if [[ -n $flag && ($value != [+?]* || $word != -*) ]]; then
      [[ $value == +* ]] || flag=''
      continue
    fi
    flag=''
    if [[ -n $only_words ]]; then
      ((position++))
    elif [[ $word == -- ]]; then
      only_words=1
    elif [[ $word == --*=* ]]; then
      seen+="\${word%%=*} "
    elif [[ $word == -?* ]]; then
      seen+="$word "
      __gatectl_value "$word"
      [[ -n $value && $value != '!' ]] && flag=$word
    elif [[ $'\\n'$commands == *$'\\n'"$word"$'\\t'* ]]; then
      path=\${path:+$path }$word
      __gatectl_load "$path"
    else
      ((position++))
    fi
  done
  if [[ -n $flag && ($value != [+?]* || $whole != -*) ]]; then
    :
  elif [[ -z $only_words && $whole == --*=* ]]; then
    __gatectl_value "\${whole%%=*}"
    typed=\${whole#*=}
  else
    value=''
  fi
  __gatectl_plain "$typed"
  current=$plain
  if [[ -n $value && $value != '!' ]]; then
    __gatectl_offer "$value"
  elif [[ -z $only_words && $whole == -* ]]; then
    local names offer summary
    while IFS=$'\\t' read -r names offer summary; do
      [[ $offer != \\** && ($seen == *" \${names#*,} "* || $seen == *" \${names%,*} "*) ]] && continue
      candidates+=("\${names#*,}"$'\\t'"$summary")
      [[ $names == *,* && $current == "\${names%,*}" ]] && candidates=("\${names%,*}")
    done <<<"$flags"
  else
    if [[ -n $commands && $position == 0 ]]; then
      while IFS= read -r word; do
        candidates+=("$word")
      done <<<"$commands"
      [[ -z $path ]] && __gatectl_offer @alias
    fi
    if [[ \${#positions[@]} -gt 0 ]]; then
      ((position >= \${#positions[@]})) && position=$((\${#positions[@]} - 1)) value=last
      [[ $value != last || \${positions[position]} == +* ]] && __gatectl_offer "\${positions[position]}"
    fi
  fi
  __gatectl_reply
}

complete -F _gatectl gatectl
`;
