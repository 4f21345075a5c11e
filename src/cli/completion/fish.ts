import { GLOBAL_SCRIPT_FLAGS, type Offer, type ScriptFlag, type ScriptPage } from './script-page.ts';

/** The completion script for fish 3.1 and newer. */
export function fishScript(pages: readonly ScriptPage[]): string {
  return `${HEAD}

# What each command has: commands, flags with a value, flags that take all words up to the next flag.
function __gatectl_flags
    set -g __gatectl_commands
    set -g __gatectl_taking ${namesTaking(GLOBAL_SCRIPT_FLAGS, 'one')}
    set -g __gatectl_taking_many
    set -g __gatectl_taking_perhaps
    switch "$__gatectl_path"
${pages.map(branch).join('')}    end
end

complete -c gatectl -f
${GLOBAL_SCRIPT_FLAGS.map(flag => flagLine(flag)).join('\n')}
${pages.map(pageLines).join('')}`;
}

function branch({ key, commands, flags }: ScriptPage): string {
  const words = commands.map(({ word }) => word).join(' ');
  const lines = [
    words && `set -g __gatectl_commands ${words}`,
    namesTaking(flags, 'one') && `set -a __gatectl_taking ${namesTaking(flags, 'one')}`,
    namesTaking(flags, 'many') && `set -g __gatectl_taking_many ${namesTaking(flags, 'many')}`,
    namesTaking(flags, 'perhaps') && `set -g __gatectl_taking_perhaps ${namesTaking(flags, 'perhaps')}`,
  ].filter(line => line !== '');
  return [`        case ${quoted(key)}`, ...lines.map(line => `            ${line}`), ''].join('\n');
}

/** The flags that accept one word, all words up to the next flag, or an optional word. */
function namesTaking(flags: readonly ScriptFlag[], count: 'one' | 'many' | 'perhaps'): string {
  return flags
    .filter(({ value, isVariadic, isValueOptional }) => {
      const takes = isVariadic ? 'many' : isValueOptional ? 'perhaps' : 'one';
      return value !== undefined && takes === count;
    })
    .flatMap(({ short, long }) => (short === undefined ? [long] : [short, long]))
    .join(' ');
}

function pageLines({ key, commands, flags, positions }: ScriptPage): string {
  const at = `__gatectl_at ${quoted(key)}`;
  const first = positions.length === 0 ? at : `__gatectl_argument ${quoted(key)} 1`;
  const lines = [
    ...commands.map(
      ({ word, summary }) =>
        `complete -c gatectl -n ${quoted(first)} -a ${quoted(word)} -d ${quoted(summary)}`,
    ),
    ...(key === '' ? [`complete -c gatectl -n ${quoted(at)} -a '(__gatectl_local alias)'`] : []),
    ...positions.flatMap(({ offer, isVariadic }, index) => {
      const place = `__gatectl_argument ${quoted(key)} ${index + 1}${isVariadic ? '+' : ''}`;
      const offered = offers(offer);
      return offered === '' ? [] : [`complete -c gatectl -n ${quoted(place)} ${offered}`];
    }),
    ...flags.map(flag => flagLine(flag, at)),
  ];
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

function flagLine(flag: ScriptFlag, condition?: string): string {
  const { long, short, value, isValueOptional, offer, summary } = flag;
  return [
    'complete -c gatectl',
    ...(condition === undefined ? [] : [`-n ${quoted(condition)}`]),
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    ...(value === undefined || isValueOptional
      ? []
      : [`${offer.kind === 'files' ? '-r' : '-x'} ${offers(offer)}`.trim()]),
    `-d ${quoted(summary)}`,
  ].join(' ');
}

function offers(offer: Offer): string {
  switch (offer.kind) {
    case 'nothing':
      return '';
    case 'files':
      return '-F';
    case 'folders':
      return "-a '(__fish_complete_directories)'";
    case 'words':
      return `-a ${quoted(offer.words.join(' '))}`;
    case 'local':
      return `-a ${quoted(`(__gatectl_local ${offer.value})`)}`;
  }
}

/** Text as a fish word: in single quotes only the quote and the backslash are special. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

const HEAD = `# Completion of gatectl for fish. \`gatectl completion fish\` prints it; it is made from the commands, so don't edit it.

# Works out, once for each line, which command it is ($__gatectl_path) and how many of its arguments are there
# ($__gatectl_count).
function __gatectl_read
    set -l line (commandline -cp | string collect)
    test "$line" = "$__gatectl_line" -a -n "$line"; and return
    set -g __gatectl_line $line
    set -g __gatectl_path
    set -g __gatectl_count 0
    set -g __gatectl_only_words
    set -l words (commandline -opc)
    set -l skip
    for word in $words[2..-1]
        if test -n "$skip"; and not string match -qr -- '^[+?]-' "$skip$word"
            test "$skip" = +; or set skip
            continue
        end
        set skip
        if test -n "$__gatectl_only_words"
            set __gatectl_count (math $__gatectl_count + 1)
            continue
        end
        switch $word
            case --
                set -g __gatectl_only_words 1
            case '--*=*'
            case '-?*'
                __gatectl_flags
                contains -- $word $__gatectl_taking; and set skip 1
                contains -- $word $__gatectl_taking_many; and set skip +
                contains -- $word $__gatectl_taking_perhaps; and set skip '?'
            case '*'
                __gatectl_flags
                if contains -- $word $__gatectl_commands
                    set -g __gatectl_path (string trim -- "$__gatectl_path $word")
                else
                    set __gatectl_count (math $__gatectl_count + 1)
                end
        end
    end
end

# __gatectl_at PATH: the line is about this command.
function __gatectl_at
    __gatectl_read
    test "$__gatectl_path" = "$argv[1]"
end

# __gatectl_argument PATH N: its Nth argument comes next; N+: that one or a later one.
function __gatectl_argument
    __gatectl_at $argv[1]; or return
    set -l n (string trim -r -c + -- $argv[2])
    test (math $__gatectl_count + 1) -eq $n
    or string match -q -- '*+' $argv[2]; and test (math $__gatectl_count + 1) -ge $n
end

# Values that gatectl knows on this machine, from profiles and from what was listed last.
function __gatectl_local
    set -l words (commandline -opc)
    set -l bin $words[1]
    type -q -- $bin; or set bin gatectl
    set -l current (commandline -ct | string replace -r -- '^--[a-z0-9-]+=' '' | string unescape)
    $bin __complete $argv[1] ".$current" $words[2..-1] 2>/dev/null
end`;
