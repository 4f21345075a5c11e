# Completion of gatectl for fish. `gatectl completion fish` prints it; it is made from the commands, so don't edit it.

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
end

# What each command has: commands, flags with a value, flags that take all words up to the next flag.
function __gatectl_flags
    set -g __gatectl_commands
    set -g __gatectl_taking -p --profile --base-url --timeout --retries -o --output --csv-dialect --decimals --jq --tz
    set -g __gatectl_taking_many
    set -g __gatectl_taking_perhaps
    switch "$__gatectl_path"
        case ''
            set -g __gatectl_commands access products purchases reader reply token cdn bda login profile alias doctor unlock api sandbox mcp completion schema help
        case 'access'
            set -g __gatectl_commands audit wait
            set -a __gatectl_taking --product --item --email --reader-token --domain --from-file --email-column --encoding --failed-file --concurrency --columns
        case 'access audit'
            set -a __gatectl_taking --from-file --expect-column --paid --unpaid --product-column --email-column --encoding --product --domain --concurrency --against --max-drift --on-drift --out
        case 'access wait'
            set -a __gatectl_taking --product --item --email --reader-token --domain --until --for --every
        case 'products'
            set -a __gatectl_taking --email --reader-token --domain
        case 'purchases'
            set -a __gatectl_taking --email --reader-token --domain --columns
        case 'reader'
            set -a __gatectl_taking --email --reader-token --domain --product --language
        case 'reply'
            set -g __gatectl_commands list show edit reset
        case 'reply list'
            set -a __gatectl_taking --language
        case 'reply show'
            set -a __gatectl_taking --language
        case 'reply edit'
            set -a __gatectl_taking --language --file
        case 'reply reset'
            set -a __gatectl_taking --language
        case 'token'
            set -g __gatectl_commands inspect
            set -a __gatectl_taking --email --domain
        case 'token inspect'
            set -a __gatectl_taking --key
        case 'cdn'
            set -g __gatectl_commands ping purge history
        case 'cdn ping'
        case 'cdn purge'
            set -a __gatectl_taking --file --sitemap --changed-since --prefix --known-from --key-file --keys-from-page --changed --git --map --explain --deploy --undo-plan --max-impact --stage --pause --warm --warm-rate --domain --concurrency --failed-file --summary --repeat-after --receipt --confirm
            set -g __gatectl_taking_many --key
        case 'cdn history'
            set -a __gatectl_taking --domain --limit
        case 'bda'
            set -g __gatectl_commands domains columns data-sets date-range query why watch report segment filter multifilter sync sql migrate-query
        case 'bda domains'
            set -a __gatectl_taking --api --columns
        case 'bda columns'
            set -a __gatectl_taking --api --search --data-set --columns
        case 'bda data-sets'
            set -a __gatectl_taking --columns
        case 'bda date-range'
        case 'bda query'
            set -g __gatectl_commands save run list show delete
            set -a __gatectl_taking --data-set -d --dimension -m --metric --filter --filter-json --sort --from --to --last --this --previous --month --period --limit --offset --page-size --concurrency --out --title --compare --domain --domain-id --platform --query-params --fragments --case-normalization
            set -g __gatectl_taking_many --any-of
            set -g __gatectl_taking_perhaps --chart
        case 'bda query save'
            set -a __gatectl_taking --data-set -d --dimension -m --metric --filter --filter-json --sort --from --to --last --this --previous --month --period --limit --offset --compare --domain --domain-id --platform --query-params --fragments --case-normalization
            set -g __gatectl_taking_many --any-of
        case 'bda query run'
            set -a __gatectl_taking --data-set -d --dimension -m --metric --filter --filter-json --sort --from --to --last --this --previous --month --period --limit --offset --page-size --concurrency --out --title --compare --domain --domain-id --platform --query-params --fragments --case-normalization
            set -g __gatectl_taking_many --any-of
            set -g __gatectl_taking_perhaps --chart
        case 'bda query list'
        case 'bda query show'
        case 'bda query delete'
        case 'bda why'
            set -a __gatectl_taking --data-set -m --metric -d --dimension --filter --filter-json --compare --depth --top --max-requests --additive --ratio --from --to --last --this --previous --month --period --title --domain --domain-id --platform --query-params --fragments --case-normalization
            set -g __gatectl_taking_many --any-of
            set -g __gatectl_taking_perhaps --chart
        case 'bda watch'
            set -a __gatectl_taking --data-set -m --metric --filter --filter-json --query --additive --threshold --min-change --min-volume --direction --holiday --settle --domain --domain-id --platform --query-params --fragments --case-normalization --on-alert --on-clear --state --metrics-file
            set -g __gatectl_taking_many --any-of
        case 'bda report'
            set -g __gatectl_commands list show run create build
        case 'bda report list'
            set -a __gatectl_taking --columns
        case 'bda report show'
            set -a __gatectl_taking --id
        case 'bda report run'
            set -a __gatectl_taking --id -d --dimension -m --metric --request --filter --segment --group-by --sort --from --to --last --this --previous --month --period --limit --offset --page-size --concurrency --out --title --compare --domain --domain-id --platform --query-params --fragments --revenue-decimals
            set -g __gatectl_taking_perhaps --chart
        case 'bda report create'
        case 'bda report build'
            set -a __gatectl_taking --out --format --set
        case 'bda segment'
            set -g __gatectl_commands list create
        case 'bda segment list'
            set -a __gatectl_taking --columns
        case 'bda segment create'
            set -a __gatectl_taking --name --country --device --gender --site --multifilter --filter
        case 'bda filter'
            set -g __gatectl_commands list
        case 'bda filter list'
            set -a __gatectl_taking --columns
        case 'bda multifilter'
            set -g __gatectl_commands list types
        case 'bda multifilter list'
            set -a __gatectl_taking --columns
        case 'bda multifilter types'
            set -a __gatectl_taking --columns
        case 'bda sync'
            set -g __gatectl_commands init plan run sweep verify status history ddl rebalance submit worker drain retry cancel
        case 'bda sync init'
            set -a __gatectl_taking --table --data-set -d --dimension -m --metric --start --partition --domain --destination
        case 'bda sync plan'
            set -a __gatectl_taking --lookback --refetch --table --domain
        case 'bda sync run'
            set -a __gatectl_taking --lookback --refetch --table --domain --units --shard --shard-env --shards --account-rate --concurrency
        case 'bda sync sweep'
            set -a __gatectl_taking --table --domain --concurrency
        case 'bda sync verify'
            set -a __gatectl_taking --table --domain
        case 'bda sync status'
            set -a __gatectl_taking --engine --metrics
        case 'bda sync history'
            set -a __gatectl_taking --as-of --table
        case 'bda sync ddl'
            set -a __gatectl_taking --for --location --table
        case 'bda sync rebalance'
        case 'bda sync submit'
            set -a __gatectl_taking --engine --lookback --refetch --table --domain --account-rate --account-concurrency --tries
        case 'bda sync worker'
            set -a __gatectl_taking --engine --concurrency --account-rate --account-concurrency --grace --lost-after --metrics --log
        case 'bda sync drain'
            set -a __gatectl_taking --engine
        case 'bda sync retry'
            set -a __gatectl_taking --engine
        case 'bda sync cancel'
            set -a __gatectl_taking --engine
        case 'bda sql'
            set -a __gatectl_taking --file --out --title
            set -g __gatectl_taking_perhaps --sync --chart
        case 'bda migrate-query'
            set -a __gatectl_taking --report --custom-report --url --set --segment --from --to --last --this --previous --month --period --reports --segments --multifilters --filters --columns --out-dir --data-set --as --label --out --notes
        case 'login'
            set -a __gatectl_taking --domain --brand --key-in --ca-file --api-key-file --key-command
        case 'profile'
            set -g __gatectl_commands add list show use set unset set-key remove path
        case 'profile add'
            set -a __gatectl_taking --domain --brand --key-in --ca-file --time-zone --prefix-subscriptions --prefix-cdn --prefix-bda-v1 --prefix-bda-v2 --api-key-file --key-command
        case 'profile list'
            set -a __gatectl_taking --columns
        case 'profile show'
        case 'profile use'
        case 'profile set'
            set -a __gatectl_taking --api-key-file --key-command --move-key-from
        case 'profile unset'
        case 'profile set-key'
            set -a __gatectl_taking --api-key-file --key-command
        case 'profile remove'
        case 'profile path'
        case 'alias'
            set -g __gatectl_commands set list delete
        case 'alias set'
        case 'alias list'
        case 'alias delete'
        case 'doctor'
            set -a __gatectl_taking --domain --sync --bundle
            set -g __gatectl_taking_many --api
        case 'unlock'
        case 'api'
            set -a __gatectl_taking -f --raw-field -F --field -H --header --input
        case 'sandbox'
            set -g __gatectl_commands serve
        case 'sandbox serve'
            set -a __gatectl_taking --port --host --purge-to --fixtures --seed --clock --brand --record-from --record-to --replay
            set -g __gatectl_taking_many --cors --fault
        case 'mcp'
            set -g __gatectl_commands install
            set -a __gatectl_taking --allow --max-targets --calls-per-minute --http
        case 'mcp install'
            set -a __gatectl_taking --allow
        case 'completion'
            set -g __gatectl_commands install uninstall bash zsh fish powershell
        case 'completion install'
            set -a __gatectl_taking --shell
        case 'completion uninstall'
            set -a __gatectl_taking --shell
        case 'completion bash'
        case 'completion zsh'
        case 'completion fish'
        case 'completion powershell'
        case 'schema'
        case 'help'
    end
end

complete -c gatectl -f
complete -c gatectl -s p -l profile -x -a '(__gatectl_local profile)' -d 'profile to use'
complete -c gatectl -l base-url -x -d 'root of the gateway; https, except on this machine'
complete -c gatectl -l sandbox -d 'use the embedded gateway: no key, no network'
complete -c gatectl -l no-compression -d 'request uncompressed responses'
complete -c gatectl -l curl -d 'print the equivalent curl command and send nothing'
complete -c gatectl -l timeout -x -d 'time limit per request (default 30; cdn 60)'
complete -c gatectl -l retries -x -d 'maximum retries per request (default 3)'
complete -c gatectl -l insecure-http -d 'allow plain http to another machine'
complete -c gatectl -s o -l output -x -a 'table json ndjson csv tsv md html parquet xlsx' -d 'output format: table, json, ndjson, csv, tsv, md, html; with --out also parquet, xlsx'
complete -c gatectl -l json -d 'same as --output json'
complete -c gatectl -l csv -d 'same as --output csv'
complete -c gatectl -l csv-dialect -x -a 'rfc4180 excel excel-semicolon' -d 'form of csv: rfc4180, excel, excel-semicolon (default rfc4180)'
complete -c gatectl -l decimals -x -d 'round numbers to n decimals; table, md, html, .xlsx only'
complete -c gatectl -l jq -x -d 'filter JSON output with a jq expression'
complete -c gatectl -s q -l quiet -d 'suppress notes, and the tables of successful jobs'
complete -c gatectl -s v -l verbose -d 'log each HTTP request to stderr, without secrets'
complete -c gatectl -l tz -x -a '(__gatectl_local time-zone)' -d 'time zone of days and times, such as Europe/Madrid'
complete -c gatectl -l no-color -d 'print without colors'
complete -c gatectl -l no-pager -d 'print long output without a pager'
complete -c gatectl -l no-input -d 'never prompt'
complete -c gatectl -s h -l help -d 'show help'

complete -c gatectl -n '__gatectl_at \'\'' -a 'access' -d 'check reader access to a product or an item'
complete -c gatectl -n '__gatectl_at \'\'' -a 'products' -d 'list the product handles a reader holds'
complete -c gatectl -n '__gatectl_at \'\'' -a 'purchases' -d 'list a reader\'s purchases and entitlements'
complete -c gatectl -n '__gatectl_at \'\'' -a 'reader' -d 'show a reader\'s access, products and purchases'
complete -c gatectl -n '__gatectl_at \'\'' -a 'reply' -d 'manage the reply templates of gatectl reader --reply'
complete -c gatectl -n '__gatectl_at \'\'' -a 'token' -d 'mint an identity token for a signed-in reader'
complete -c gatectl -n '__gatectl_at \'\'' -a 'cdn' -d 'purge the CDN cache'
complete -c gatectl -n '__gatectl_at \'\'' -a 'bda' -d 'query and export analytics'
complete -c gatectl -n '__gatectl_at \'\'' -a 'login' -d 'connect to a gateway: test and store its address and key'
complete -c gatectl -n '__gatectl_at \'\'' -a 'profile' -d 'manage connection profiles'
complete -c gatectl -n '__gatectl_at \'\'' -a 'alias' -d 'manage short names for command lines'
complete -c gatectl -n '__gatectl_at \'\'' -a 'doctor' -d 'diagnose configuration, network and API problems'
complete -c gatectl -n '__gatectl_at \'\'' -a 'unlock' -d 'remove locks left by processes that have ended'
complete -c gatectl -n '__gatectl_at \'\'' -a 'api' -d 'send a raw request with authentication'
complete -c gatectl -n '__gatectl_at \'\'' -a 'sandbox' -d 'run the embedded gateway'
complete -c gatectl -n '__gatectl_at \'\'' -a 'mcp' -d 'serve tools to an AI assistant (Model Context Protocol)'
complete -c gatectl -n '__gatectl_at \'\'' -a 'completion' -d 'install or print shell completions'
complete -c gatectl -n '__gatectl_at \'\'' -a 'schema' -d 'print the commands and their options as JSON'
complete -c gatectl -n '__gatectl_at \'\'' -a 'help' -d 'show help for a command, or a topic: exit-codes, errors, environment, profiles, filters, dates, output'
complete -c gatectl -n '__gatectl_at \'\'' -a '(__gatectl_local alias)'
complete -c gatectl -n '__gatectl_at \'\'' -s V -l version -d 'print the version'

complete -c gatectl -n '__gatectl_argument \'access\' 1' -a 'audit' -d 'compare a billing list with reader access'
complete -c gatectl -n '__gatectl_argument \'access\' 1' -a 'wait' -d 'wait until a reader\'s access changes'
complete -c gatectl -n '__gatectl_at \'access\'' -l product -x -d 'the product handle'
complete -c gatectl -n '__gatectl_at \'access\'' -l item -x -d 'the key of a one-time item; for a single article, the URL of its page'
complete -c gatectl -n '__gatectl_at \'access\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'access\'' -l reader-token -x -d 'the reader\'s session token, as getSessionToken() returned it'
complete -c gatectl -n '__gatectl_at \'access\'' -l reader-token-stdin -d 'read the session token from stdin, so that no process list shows it'
complete -c gatectl -n '__gatectl_at \'access\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'access\'' -l mask -d 'hide e-mail addresses in the output'
complete -c gatectl -n '__gatectl_at \'access\'' -l from-file -r -F -d 'check all readers of a file (- for stdin): one address per line, CSV or JSON'
complete -c gatectl -n '__gatectl_at \'access\'' -l email-column -x -d 'the column with the addresses (default: detected)'
complete -c gatectl -n '__gatectl_at \'access\'' -l encoding -x -a 'utf-8 utf-16le utf-16be latin1' -d 'encoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved'
complete -c gatectl -n '__gatectl_at \'access\'' -l skip-invalid -d 'skip invalid lines of the list instead of stopping'
complete -c gatectl -n '__gatectl_at \'access\'' -l failed-file -r -F -d 'write the readers of a list that could not be checked, in the format --from-file reads'
complete -c gatectl -n '__gatectl_at \'access\'' -l concurrency -x -d 'maximum requests in flight (default: adapts to the server, up to 64)'
complete -c gatectl -n '__gatectl_at \'access\'' -l columns -x -d 'print these columns in this order, separated by commas'
complete -c gatectl -n '__gatectl_at \'access\'' -l exit-code -d 'exit 3 when the decision is not allowed'

complete -c gatectl -n '__gatectl_at \'access audit\'' -l from-file -r -F -d 'list of readers (- for stdin): CSV, JSON, or one address per line'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l expect-column -x -d 'column with the payment status: a plan, a state, yes or no (default: all readers have paid)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l paid -x -d 'value of that column that means paid (repeatable)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l unpaid -x -d 'value of that column that means not paid (repeatable)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l product-column -x -d 'column with the product handles; --product applies to lines without one'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l email-column -x -d 'the column with the addresses (default: detected)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l encoding -x -a 'utf-8 utf-16le utf-16be latin1' -d 'encoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l skip-invalid -d 'skip invalid lines of the list instead of stopping'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l product -x -d 'the product handle'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l concurrency -x -d 'maximum requests in flight (default: adapts to the server, up to 64)'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l resume -d 'resume an interrupted audit; stored results are not requested again'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l against -x -d 'compare with an earlier audit: last, or a day such as 2026-03-14'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l max-drift -x -d 'exit 7 if more readers than this do not match the list: 1%, 0.5%, or a number'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l on-drift -x -d 'run this shell command if they do not match (without --max-drift: on any mismatch), with the totals as JSON on stdin'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l out -r -F -d 'write every finding to this file: .csv, .tsv, .ndjson, .json, .xlsx, .md or .html'
complete -c gatectl -n '__gatectl_at \'access audit\'' -l mask -d 'hide e-mail addresses in the output'

complete -c gatectl -n '__gatectl_at \'access wait\'' -l product -x -d 'the product handle'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l item -x -d 'the key of a one-time item; for a single article, the URL of its page'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l reader-token -x -d 'the reader\'s session token, as getSessionToken() returned it'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l reader-token-stdin -d 'read the session token from stdin, so that no process list shows it'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l mask -d 'hide e-mail addresses in the output'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l until -x -a 'allowed denied' -d 'allowed (default), or denied: any other decision'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l for -x -d 'stop after this time: 90s, 15m, 1h'
complete -c gatectl -n '__gatectl_at \'access wait\'' -l every -x -d 'pause between checks'

complete -c gatectl -n '__gatectl_at \'products\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'products\'' -l reader-token -x -d 'the reader\'s session token, as getSessionToken() returned it'
complete -c gatectl -n '__gatectl_at \'products\'' -l reader-token-stdin -d 'read the session token from stdin, so that no process list shows it'
complete -c gatectl -n '__gatectl_at \'products\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'

complete -c gatectl -n '__gatectl_at \'purchases\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'purchases\'' -l reader-token -x -d 'the reader\'s session token, as getSessionToken() returned it'
complete -c gatectl -n '__gatectl_at \'purchases\'' -l reader-token-stdin -d 'read the session token from stdin, so that no process list shows it'
complete -c gatectl -n '__gatectl_at \'purchases\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'purchases\'' -l active -d 'only those that give access now'
complete -c gatectl -n '__gatectl_at \'purchases\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_at \'reader\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'reader\'' -l reader-token -x -d 'the reader\'s session token, as getSessionToken() returned it'
complete -c gatectl -n '__gatectl_at \'reader\'' -l reader-token-stdin -d 'read the session token from stdin, so that no process list shows it'
complete -c gatectl -n '__gatectl_at \'reader\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'reader\'' -l product -x -d 'also check this product (repeatable)'
complete -c gatectl -n '__gatectl_at \'reader\'' -l why -d 'also show what changed since the last --why, and a reply to paste; hides the address'
complete -c gatectl -n '__gatectl_at \'reader\'' -l reply -d 'print only the reply to paste'
complete -c gatectl -n '__gatectl_at \'reader\'' -l language -x -a 'en de es fr' -d 'language of the reply: en (default), de, es, fr, or one with custom templates'
complete -c gatectl -n '__gatectl_at \'reader\'' -l mask -d 'hide e-mail addresses in the output'
complete -c gatectl -n '__gatectl_at \'reader\'' -l unmask -d 'show e-mail addresses with --why'

complete -c gatectl -n '__gatectl_at \'reply\'' -a 'list' -d 'list reply templates'
complete -c gatectl -n '__gatectl_at \'reply\'' -a 'show' -d 'print a reply template'
complete -c gatectl -n '__gatectl_at \'reply\'' -a 'edit' -d 'change a reply template'
complete -c gatectl -n '__gatectl_at \'reply\'' -a 'reset' -d 'restore a built-in reply template'

complete -c gatectl -n '__gatectl_at \'reply list\'' -l language -x -a 'en de es fr' -d 'only this language'

complete -c gatectl -n '__gatectl_argument \'reply show\' 1' -a 'allowed denied login_required expired revoked unknown_product not_started suspended pending'
complete -c gatectl -n '__gatectl_at \'reply show\'' -l language -x -a 'en de es fr' -d 'language of the reply: en (default), de, es, fr, or one with custom templates'

complete -c gatectl -n '__gatectl_argument \'reply edit\' 1' -a 'allowed denied login_required expired revoked unknown_product not_started suspended pending'
complete -c gatectl -n '__gatectl_at \'reply edit\'' -l language -x -a 'en de es fr' -d 'language of the reply: en (default), de, es, fr, or one with custom templates'
complete -c gatectl -n '__gatectl_at \'reply edit\'' -l file -r -F -d 'read the text from this file (- for stdin) instead of an editor'

complete -c gatectl -n '__gatectl_argument \'reply reset\' 1' -a 'allowed denied login_required expired revoked unknown_product not_started suspended pending'
complete -c gatectl -n '__gatectl_at \'reply reset\'' -l language -x -a 'en de es fr' -d 'language of the reply: en (default), de, es, fr, or one with custom templates'

complete -c gatectl -n '__gatectl_argument \'token\' 1' -a 'inspect' -d 'show the claims and times of a token'
complete -c gatectl -n '__gatectl_at \'token\'' -l email -x -d 'the reader\'s e-mail address, instead of EMAIL'
complete -c gatectl -n '__gatectl_at \'token\'' -l domain -x -a '(__gatectl_local domain)' -d 'one of the account\'s domains (default: the profile\'s)'

complete -c gatectl -n '__gatectl_at \'token inspect\'' -l key -r -F -d 'verify with a PEM public key, a JWK, a set of JWKs or a shared secret'

complete -c gatectl -n '__gatectl_at \'cdn\'' -a 'ping' -d 'check whether the CDN API responds'
complete -c gatectl -n '__gatectl_at \'cdn\'' -a 'purge' -d 'purge URLs, surrogate keys or a whole domain from the cache'
complete -c gatectl -n '__gatectl_at \'cdn\'' -a 'history' -d 'list earlier purges of this gateway'

complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l file -r -F -d 'clear the URLs of this file, the same as @FILE (- for stdin)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l sitemap -r -F -d 'clear every URL of a sitemap; follows indexes and .gz'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l changed-since -x -d 'with --sitemap: only pages that changed since the last confirmed purge, or a day'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l prefix -x -d 'clear all known URLs that start with this one'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l known-from -x -d 'with --prefix: sitemap, sitemap:URL, analytics, analytics:30d (default: sitemap,analytics)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l key -x -d 'clear these surrogate keys (repeatable, or separated by commas)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l key-file -r -F -d 'clear the surrogate keys of this file: lines, CSV or JSON (- for stdin)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l keys-from-page -x -d 'clear the surrogate keys in this page\'s Surrogate-Key header'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l all -d 'purge everything on the domain'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l changed -x -a '(__fish_complete_directories)' -d 'clear what changed in a built site since the last confirmed purge'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l git -x -d 'clear what changed up to this deployed revision; BASE..REF names the base'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l resume -d 'resume the last interrupted purge'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l no-resume -d 'purge all URLs, even if a purge of the same list was interrupted'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l map -r -F -d 'YAML with rules from files to URLs and surrogate keys'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l explain -r -F -d 'print what a changed file leads to, and send nothing'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l deploy -x -d 'number of this deploy; a missing one widens the purge'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l or-all -d 'purge the whole domain where the changes are not known; requires --yes'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l undo-plan -x -d 'print what repeating an earlier purge would clear, and send nothing'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l impact -d 'print page views, visits and revenue of the pages over 7 days before the purge'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l max-impact -x -d 'send nothing if the pages have more of the page views, such as 5%'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l stage -x -d 'purge in stages, such as 2%,20%,100%; stop at failed or stale pages'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l pause -x -d 'with --stage: wait between stages, such as 60s'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l warm -x -d 'fetch the most viewed of the purged pages again, such as top:500'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l warm-rate -x -d 'with --warm: maximum requests per second (default 10/s)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l domain -x -a '(__gatectl_local domain)' -d 'the domain of keys and of --all, and the only one URLs may be on (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l any-domain -d 'allow URLs of any domain'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l skip-invalid -d 'skip invalid URLs instead of rejecting the list'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l concurrency -x -d 'maximum requests in flight (default: adapts to the server, up to 64)'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l no-split -d 'do not split a rejected batch to find the invalid URL'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l failed-file -r -F -d 'write failed targets to this file, in the format --file reads'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l summary -r -F -d 'append the outcome as Markdown, such as to $GITHUB_STEP_SUMMARY'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l dry-run -d 'print the requests without sending them'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l repeat-after -x -d 'purge again after this many seconds, to catch pages cached in between'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l verify -d 'fetch the first 50 URLs before and after, and report which are fresh'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l receipt -r -F -d 'with --verify: write the result as JSON'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l yes -d 'with --all and --or-all: skip the confirmation'
complete -c gatectl -n '__gatectl_at \'cdn purge\'' -l confirm -x -d 'with --all: confirm the domain, as protected profiles require'

complete -c gatectl -n '__gatectl_at \'cdn history\'' -l domain -x -a '(__gatectl_local domain)' -d 'list only purges of this domain'
complete -c gatectl -n '__gatectl_at \'cdn history\'' -l limit -x -d 'maximum number of purges'

complete -c gatectl -n '__gatectl_at \'bda\'' -a 'domains' -d 'list the sites of the account'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'columns' -d 'list the dimensions and metrics'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'data-sets' -d 'list the data sets'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'date-range' -d 'show the first and the last day with data'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'query' -d 'query analytics, or export all rows'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'why' -d 'explain what changed a metric'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'watch' -d 'detect unusual drops and rises of metrics'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'report' -d 'run and create saved reports, and build documents'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'segment' -d 'list and create segments of report rows'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'filter' -d 'list plain filters for segments'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'multifilter' -d 'list multifilters for segments, and their options'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'sync' -d 'copy analytics of every site to Parquet files or a database'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'sql' -d 'query exported files and synced tables with SQL'
complete -c gatectl -n '__gatectl_at \'bda\'' -a 'migrate-query' -d 'convert a v1 request to the equivalent v2 query'

complete -c gatectl -n '__gatectl_at \'bda domains\'' -l api -x -a 'v1 v2' -d 'API version: v2 (default), or v1 with saved reports'
complete -c gatectl -n '__gatectl_at \'bda domains\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_at \'bda columns\'' -l api -x -a 'v1 v2' -d 'API version: v2 (default), or v1 with saved reports'
complete -c gatectl -n '__gatectl_at \'bda columns\'' -l search -x -d 'only columns with this word in their name, description or unit'
complete -c gatectl -n '__gatectl_at \'bda columns\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'only columns of this data set'
complete -c gatectl -n '__gatectl_at \'bda columns\'' -l columns -x -d 'print these columns in this order, separated by commas'
complete -c gatectl -n '__gatectl_at \'bda columns\'' -l refresh -d 'update the cached columns; fail when they cannot be cached'

complete -c gatectl -n '__gatectl_at \'bda data-sets\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -a 'save' -d 'save a query under a name'
complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -a 'run' -d 'run a saved query'
complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -a 'list' -d 'list the saved queries'
complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -a 'show' -d 'print a saved query'
complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -a 'delete' -d 'delete a saved query'
complete -c gatectl -n '__gatectl_argument \'bda query\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda query\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set to query (see gatectl bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'columns to group by, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'columns to measure, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\' or \'country=DE,AT\''
complete -c gatectl -n '__gatectl_at \'bda query\'' -l any-of -x -a '(__gatectl_local filter)' -d 'conditions of which at least one must match'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l filter-json -x -d 'a filter as API JSON, or a list of filters'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l sort -x -a '(__gatectl_local sort)' -d 'sort by a column, ascending unless :desc'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda query\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda query\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l limit -x -d 'maximum rows (default: 100 in table, md and html)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l offset -x -d 'rows to skip at the beginning'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l all -d 'all rows, in table, md and html too'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l page-size -x -d 'rows per request (default 100000)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l concurrency -x -d 'maximum pages in flight (default: adapts, up to 4)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l units -d 'units in the headings of table, md and html'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l strict -d 'exit 7 if the result is incomplete'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l out -r -F -d '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l resume -d 'require an interrupted export to --out to resume'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l no-resume -d 'discard the rows of an interrupted export to --out'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l manifest -d 'write query, days, rows, hash to FILE.meta.json'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l chart -d 'draw a chart, or write it: .svg, .png, .html'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l title -x -d 'title of the chart'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l ascii -d 'draw with ASCII characters only'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l compare -x -a 'previous year' -d 'compare with: previous (period), year (earlier)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l match-weekdays -d 'with --compare: shift by complete weeks'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l complete-periods -d 'omit partial weeks and months'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l case-normalization -x -d 'treatment of letter case in page addresses'
complete -c gatectl -n '__gatectl_at \'bda query\'' -l print -d 'print the query as JSON and send nothing'

complete -c gatectl -n '__gatectl_argument \'bda query save\' 1' -a '(__gatectl_local query)'
complete -c gatectl -n '__gatectl_argument \'bda query save\' 2' -F
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set to query (see gatectl bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'columns to group by, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'columns to measure, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\' or \'country=DE,AT\''
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l any-of -x -a '(__gatectl_local filter)' -d 'conditions of which at least one must match'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l filter-json -x -d 'a filter as API JSON, or a list of filters'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l sort -x -a '(__gatectl_local sort)' -d 'sort by a column, ascending unless :desc'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l limit -x -d 'maximum rows (default: 100 in table, md and html)'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l offset -x -d 'rows to skip at the beginning'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l compare -x -a 'previous year' -d 'compare with: previous (period), year (earlier)'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l match-weekdays -d 'with --compare: shift by complete weeks'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l complete-periods -d 'omit partial weeks and months'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l case-normalization -x -d 'treatment of letter case in page addresses'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l project -d 'save it in the project, for everyone who works on it'
complete -c gatectl -n '__gatectl_at \'bda query save\'' -l replace -d 'overwrite a saved query of the same name'

complete -c gatectl -n '__gatectl_argument \'bda query run\' 1' -a '(__gatectl_local query)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set to query (see gatectl bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'columns to group by, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'columns to measure, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\' or \'country=DE,AT\''
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l any-of -x -a '(__gatectl_local filter)' -d 'conditions of which at least one must match'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l filter-json -x -d 'a filter as API JSON, or a list of filters'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l sort -x -a '(__gatectl_local sort)' -d 'sort by a column, ascending unless :desc'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l limit -x -d 'maximum rows (default: 100 in table, md and html)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l offset -x -d 'rows to skip at the beginning'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l all -d 'all rows, in table, md and html too'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l page-size -x -d 'rows per request (default 100000)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l concurrency -x -d 'maximum pages in flight (default: adapts, up to 4)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l units -d 'units in the headings of table, md and html'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l strict -d 'exit 7 if the result is incomplete'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l out -r -F -d '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l resume -d 'require an interrupted export to --out to resume'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l no-resume -d 'discard the rows of an interrupted export to --out'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l manifest -d 'write query, days, rows, hash to FILE.meta.json'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l chart -d 'draw a chart, or write it: .svg, .png, .html'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l title -x -d 'title of the chart'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l ascii -d 'draw with ASCII characters only'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l compare -x -a 'previous year' -d 'compare with: previous (period), year (earlier)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l match-weekdays -d 'with --compare: shift by complete weeks'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l complete-periods -d 'omit partial weeks and months'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l case-normalization -x -d 'treatment of letter case in page addresses'
complete -c gatectl -n '__gatectl_at \'bda query run\'' -l print -d 'print the query as JSON and send nothing'

complete -c gatectl -n '__gatectl_argument \'bda query show\' 1' -a '(__gatectl_local query)'

complete -c gatectl -n '__gatectl_argument \'bda query delete\' 1' -a '(__gatectl_local query)'
complete -c gatectl -n '__gatectl_at \'bda query delete\'' -l project -d 'delete the project\'s instead of your own'

complete -c gatectl -n '__gatectl_at \'bda why\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set to query (see gatectl bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda why\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'metric whose change to explain'
complete -c gatectl -n '__gatectl_at \'bda why\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'dimensions to examine (default: chosen from the listed columns)'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\' or \'country=DE,AT\''
complete -c gatectl -n '__gatectl_at \'bda why\'' -l any-of -x -a '(__gatectl_local filter)' -d 'conditions of which at least one must match'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l filter-json -x -d 'a filter as API JSON, or a list of filters'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l compare -x -a 'previous year' -d 'period to compare with: previous (default) or year (a year earlier)'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l match-weekdays -d 'with --compare: shift by complete weeks'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l depth -x -d 'levels: with 2, also explain the first value by the other dimensions'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l top -x -d 'number of values to list; the others are one row'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l max-requests -x -d 'maximum requests'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l additive -x -d 'metrics that are sums of their parts'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l ratio -x -d 'a metric that is a quotient: \'rpm=revenue/visits\''
complete -c gatectl -n '__gatectl_at \'bda why\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda why\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda why\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l chart -d 'draw a chart, or write it: .svg, .png, .html'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l title -x -d 'title of the chart'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l ascii -d 'draw with ASCII characters only'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l case-normalization -x -d 'treatment of letter case in page addresses'
complete -c gatectl -n '__gatectl_at \'bda why\'' -l strict -d 'exit 7 if the periods are not comparable'

complete -c gatectl -n '__gatectl_argument \'bda watch\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set to query (see gatectl bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'columns to measure, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\' or \'country=DE,AT\''
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l any-of -x -a '(__gatectl_local filter)' -d 'conditions of which at least one must match'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l filter-json -x -d 'a filter as API JSON, or a list of filters'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l query -x -a '(__gatectl_local query)' -d 'watch the metrics of this saved query'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l additive -x -d 'metrics that are sums of their parts, for --why'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l threshold -x -d 'usual deviations from which a change is an alert'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l min-change -x -d 'smallest change that is an alert'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l min-volume -x -d 'usual figure, or visits of a ratio, below which none is'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l direction -x -a 'drop rise both' -d 'drop (the default), rise or both'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l holiday -x -d 'days that are not comparable: 2026-04-06, 12-25 (every year), FROM..TO'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l settle -x -d 'days until the figures of a day are final'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l case-normalization -x -d 'treatment of letter case in page addresses'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l on-alert -x -d 'shell command for a new alert, which gets it as JSON on stdin'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l on-clear -x -d 'shell command for an alert that is over'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l why -d 'explain a new alert, as gatectl bda why does'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l exit-code -d 'exit 3 while there is an alert'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l strict -d 'exit 7 if a metric cannot be judged for lack of data'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l state -r -F -d 'file that remembers alerts (default: in the state folder)'
complete -c gatectl -n '__gatectl_at \'bda watch\'' -l metrics-file -r -F -d 'write the figures for Prometheus to this file'

complete -c gatectl -n '__gatectl_at \'bda report\'' -a 'list' -d 'list predefined and custom reports'
complete -c gatectl -n '__gatectl_at \'bda report\'' -a 'show' -d 'show the definition of a report'
complete -c gatectl -n '__gatectl_at \'bda report\'' -a 'run' -d 'run a saved report, or query columns'
complete -c gatectl -n '__gatectl_at \'bda report\'' -a 'create' -d 'create a custom report from JSON'
complete -c gatectl -n '__gatectl_at \'bda report\'' -a 'build' -d 'build a report of several queries'

complete -c gatectl -n '__gatectl_at \'bda report list\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_argument \'bda report show\' 1' -a '(__gatectl_local report)'
complete -c gatectl -n '__gatectl_at \'bda report show\'' -l id -x -a '(__gatectl_local custom-report)' -d 'custom report, by its id'

complete -c gatectl -n '__gatectl_argument \'bda report run\' 1' -a '(__gatectl_local report)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l id -x -a '(__gatectl_local custom-report)' -d 'run a custom report, by its id'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'without a saved report: columns to group by'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'without a saved report: columns to measure'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l request -r -F -d 'data request as JSON (- for stdin); flags override'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l filter -x -a '(__gatectl_local filter)' -d 'condition, such as \'visits>=3\''
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l segment -x -a '(__gatectl_local segment)' -d 'split the rows by a segment; repeatable'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l group-by -x -a 'day week month' -d 'group the rows by day, week or month'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l sort -x -a '(__gatectl_local sort)' -d 'sort by a column, ascending unless :desc'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l limit -x -d 'maximum rows (default: 100 in table, md and html)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l offset -x -d 'rows to skip at the beginning'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l all -d 'all rows, in table, md and html too'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l page-size -x -d 'rows per request (default 10000)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l concurrency -x -d 'maximum pages in flight (default: adapts, up to 4)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l units -d 'units in the headings of table, md and html'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l strict -d 'exit 7 if the result is incomplete'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l out -r -F -d '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l resume -d 'require an interrupted export to --out to resume'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l no-resume -d 'discard the rows of an interrupted export to --out'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l manifest -d 'write query, days, rows, hash to FILE.meta.json'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l chart -d 'draw a chart, or write it: .svg, .png, .html'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l title -x -d 'title of the chart'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l ascii -d 'draw with ASCII characters only'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l compare -x -a 'previous year' -d 'compare with: previous (period), year (earlier)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l match-weekdays -d 'with --compare: shift by complete weeks'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l complete-periods -d 'omit partial weeks and months'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l domain-id -x -a '(__gatectl_local domain-id)' -d 'one site, by its id (see gatectl bda domains)'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l platform -x -a 'service original all' -d 'pages: service (or the brand word), original, all'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l query-params -x -a 'include exclude' -d 'include or exclude query strings in addresses'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l fragments -x -a 'include exclude' -d 'include or exclude fragments in addresses'
complete -c gatectl -n '__gatectl_at \'bda report run\'' -l revenue-decimals -x -d 'number of decimals to round revenue to'

complete -c gatectl -n '__gatectl_argument \'bda report create\' 1' -F

complete -c gatectl -n '__gatectl_argument \'bda report build\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda report build\'' -l out -r -F -d 'write a file: .html .xlsx .eml .md'
complete -c gatectl -n '__gatectl_at \'bda report build\'' -l format -x -a 'html xlsx eml md' -d 'format of the report (default: by the name of --out)'
complete -c gatectl -n '__gatectl_at \'bda report build\'' -l set -x -d 'set a parameter of the report'
complete -c gatectl -n '__gatectl_at \'bda report build\'' -l dry-run -d 'check the file and list its queries without sending them'
complete -c gatectl -n '__gatectl_at \'bda report build\'' -l strict -d 'exit 7 if the rows of a section are incomplete'

complete -c gatectl -n '__gatectl_at \'bda segment\'' -a 'list' -d 'list custom and premade segments'
complete -c gatectl -n '__gatectl_at \'bda segment\'' -a 'create' -d 'create a segment, from flags or JSON'

complete -c gatectl -n '__gatectl_at \'bda segment list\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_argument \'bda segment create\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l name -x -d 'name of the segment'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l country -x -d 'two-letter codes or names, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l device -x -d 'kinds of devices, such as mobile,tablet'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l gender -x -d 'genders'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l site -x -d 'sites of the account'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l multifilter -x -d 'any other multifilter: its name and its option keys'
complete -c gatectl -n '__gatectl_at \'bda segment create\'' -l filter -x -a '(__gatectl_local filter)' -d 'a plain filter, such as \'pageviews>=100\''

complete -c gatectl -n '__gatectl_at \'bda filter\'' -a 'list' -d 'list the plain filters'

complete -c gatectl -n '__gatectl_at \'bda filter list\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_at \'bda multifilter\'' -a 'list' -d 'list the multifilters'
complete -c gatectl -n '__gatectl_at \'bda multifilter\'' -a 'types' -d 'list the option keys of each type of multifilter'

complete -c gatectl -n '__gatectl_at \'bda multifilter list\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_at \'bda multifilter types\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'init' -d 'write a sync file'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'plan' -d 'show what a run would request, and why'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'run' -d 'bring the tables up to date'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'sweep' -d 'find figures that changed late, and request them again'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'verify' -d 'compare the tables with the gateway, exactly'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'status' -d 'show what the destination holds'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'history' -d 'list the latest runs, or the files of an earlier day'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'ddl' -d 'print the SQL that lets other engines read the tables'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'rebalance' -d 'move sites to the shards that were added to a cluster'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'submit' -d 'add the units of a plan to a queue for workers'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'worker' -d 'carry out units of the queue until it is stopped'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'drain' -d 'wait until the workers have emptied the queue'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'retry' -d 'return the set-aside units to the queue'
complete -c gatectl -n '__gatectl_at \'bda sync\'' -a 'cancel' -d 'remove the waiting and set-aside units of the queue'

complete -c gatectl -n '__gatectl_argument \'bda sync init\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l table -x -d 'the name of the table (default that of the data set)'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'the data set (see bda data-sets)'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -s d -l dimension -x -a '(__gatectl_local column)' -d 'group by these columns, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -s m -l metric -x -a '(__gatectl_local column)' -d 'these metrics, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l start -x -d 'the first day, YYYY-MM-DD'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l partition -x -a 'month day' -d 'what one file contains (default month)'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated (default: all)'
complete -c gatectl -n '__gatectl_at \'bda sync init\'' -l destination -x -a '(__fish_complete_directories)' -d 'a folder (default lake), duckdb:FILE, or a URL'

complete -c gatectl -n '__gatectl_argument \'bda sync plan\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync plan\'' -l lookback -x -d 'request the last days again: 7d, or auto (default: the sync file, or 7d)'
complete -c gatectl -n '__gatectl_at \'bda sync plan\'' -l refetch -x -d 'request these days again: 2026-03, 2026-03-14, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda sync plan\'' -l table -x -d 'only these tables, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync plan\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync plan\'' -l units -d 'print one unit of work per line, for run --units on other machines'

complete -c gatectl -n '__gatectl_argument \'bda sync run\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l lookback -x -d 'request the last days again: 7d, or auto (default: the sync file, or 7d)'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l refetch -x -d 'request these days again: 2026-03, 2026-03-14, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l table -x -d 'only these tables, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l units -r -F -d 'run the units of this file, or of stdin (-), in place of a sync file'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l shard -x -d 'run only this share of the units, such as 3/16; the first is 1/16'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l shard-env -x -d 'take the share from a scheduler: JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX or CLOUD_RUN_TASK_INDEX'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l shards -x -d 'how many shares there are, for --shard-env JOB_COMPLETION_INDEX'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l account-rate -x -d 'maximum requests of all shares together, such as 10/s or 600/m; each takes its part'
complete -c gatectl -n '__gatectl_at \'bda sync run\'' -l concurrency -x -d 'maximum requests in flight (default: adapts to the server, up to 64)'

complete -c gatectl -n '__gatectl_argument \'bda sync sweep\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync sweep\'' -l table -x -d 'only these tables, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync sweep\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync sweep\'' -l concurrency -x -d 'maximum requests in flight (default: adapts to the server, up to 64)'

complete -c gatectl -n '__gatectl_argument \'bda sync verify\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync verify\'' -l table -x -d 'only these tables, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync verify\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'

complete -c gatectl -n '__gatectl_argument \'bda sync status\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync status\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'
complete -c gatectl -n '__gatectl_at \'bda sync status\'' -l metrics -r -F -d 'write metrics to this file in the text format of Prometheus'

complete -c gatectl -n '__gatectl_argument \'bda sync history\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync history\'' -l as-of -x -d 'list the files with the rows that the tables had on this day'
complete -c gatectl -n '__gatectl_at \'bda sync history\'' -l table -x -d 'with --as-of, only these tables, comma-separated or repeated'

complete -c gatectl -n '__gatectl_argument \'bda sync ddl\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync ddl\'' -l for -x -a 'duckdb trino spark bigquery clickhouse postgres' -d 'the engine'
complete -c gatectl -n '__gatectl_at \'bda sync ddl\'' -l location -x -d 'where the engine finds the files (default: the destination)'
complete -c gatectl -n '__gatectl_at \'bda sync ddl\'' -l table -x -d 'only these tables, comma-separated or repeated'

complete -c gatectl -n '__gatectl_argument \'bda sync rebalance\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync rebalance\'' -l dry-run -d 'show what would be moved, and change nothing'

complete -c gatectl -n '__gatectl_argument \'bda sync submit\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l lookback -x -d 'request the last days again: 7d, or auto (default: the sync file, or 7d)'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l refetch -x -d 'request these days again: 2026-03, 2026-03-14, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l table -x -d 'only these tables, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l domain -x -a '(__gatectl_local domain)' -d 'only these sites, comma-separated or repeated'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l account-rate -x -d 'maximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l account-concurrency -x -d 'maximum units in flight of all workers of the account together'
complete -c gatectl -n '__gatectl_at \'bda sync submit\'' -l tries -x -d 'how often a unit is tried before it is set aside'

complete -c gatectl -n '__gatectl_argument \'bda sync worker\' 1+' -F
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l concurrency -x -d 'maximum units in flight of this worker'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l account-rate -x -d 'maximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l account-concurrency -x -d 'maximum units in flight of all workers of the account together'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l until-empty -d 'end when the queue is empty; exit code 7 if units are set aside, or the queue lost them'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l grace -x -d 'time for the units in hand after SIGTERM, before they are returned'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l lost-after -x -d 'time without a sign of life after which another worker takes a unit over'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l metrics -r -F -d 'write metrics to this file in the text format of Prometheus'
complete -c gatectl -n '__gatectl_at \'bda sync worker\'' -l log -x -a 'text json' -d 'format of the log on stderr: text, or one JSON object a line'

complete -c gatectl -n '__gatectl_argument \'bda sync drain\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda sync drain\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'

complete -c gatectl -n '__gatectl_at \'bda sync retry\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'

complete -c gatectl -n '__gatectl_at \'bda sync cancel\'' -l engine -x -d 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)'

complete -c gatectl -n '__gatectl_argument \'bda sql\' 1+' -F
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l sync -d 'query the tables of a sync file (default gatectl.sync.yaml)'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l file -r -F -d 'read the SQL from a file, or - for stdin'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l all -d 'all rows, in table, md and html too'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l out -r -F -d '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l chart -d 'draw a chart, or write it: .svg, .png, .html'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l title -x -d 'title of the chart'
complete -c gatectl -n '__gatectl_at \'bda sql\'' -l ascii -d 'draw with ASCII characters only'

complete -c gatectl -n '__gatectl_argument \'bda migrate-query\' 1' -F
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l report -x -a '(__gatectl_local report)' -d 'predefined report that the request runs'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l custom-report -r -F -d 'custom report that it runs, by id, title or file'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l url -x -d 'URL of the request; its key is discarded'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l from-curl -d 'read a curl command; its key is discarded'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l set -x -d 'set a shell variable of the curl command; repeatable'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l segment -x -a '(__gatectl_local segment)' -d 'segment to use instead of the report\'s; repeatable'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l from -x -a 'today yesterday -7d -4w -3m -1y' -d 'first day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l to -x -a 'today yesterday -7d -4w -3m -1y' -d 'last day, in the same form (default: yesterday)'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l last -x -a '7d 4w 3m 1y' -d 'days up to yesterday: 7d, 4w, 3m, 1y'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l this -x -a 'week month quarter year' -d 'complete days of this week, month, quarter, year'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l previous -x -a 'week month quarter year' -d 'the week, month, quarter or year before this one'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l month -x -d 'a month: 2026-10, Oct, \'last month\''
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l period -x -d 'days in words: 2026-Q3, \'this week\', \'last 7 days\''
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l include-today -d 'include today, which has not ended yet'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l reports -r -F -d 'report definitions, as the gateway lists them'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l segments -r -F -d 'output of gatectl bda segment list --json'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l multifilters -r -F -d 'output of gatectl bda multifilter list --json'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l filters -r -F -d 'output of gatectl bda filter list --json'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l columns -r -F -d 'output of gatectl bda columns --json'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l offline -d 'send nothing; use definitions from files only'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l account -d 'assess every custom report and segment'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l out-dir -x -a '(__fish_complete_directories)' -d 'write each query to a file in this folder'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l data-set -x -a '(__gatectl_local data-set)' -d 'data set of the v2 query (default pageview)'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l as -x -a 'json curl gatectl' -d 'what to print: json (default), curl or gatectl'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l label -x -d 'select one of several queries by its label'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l run -d 'run the v2 query instead of printing it'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l verify -d 'run both and exit 0 only if the rows agree'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l out -r -F -d 'with --run: write the rows to a file'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l lossy -d 'omit what v2 cannot express instead of failing'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l strict -d 'print nothing and exit 7 when anything is lost'
complete -c gatectl -n '__gatectl_at \'bda migrate-query\'' -l notes -r -F -d 'write what changes and what is lost as JSON'

complete -c gatectl -n '__gatectl_argument \'login\' 1' -a '(__gatectl_local profile)'
complete -c gatectl -n '__gatectl_at \'login\'' -l domain -x -a '(__gatectl_local domain)' -d 'the default domain'
complete -c gatectl -n '__gatectl_at \'login\'' -l brand -x -d 'the service\'s brand word in header names and platform values (default service)'
complete -c gatectl -n '__gatectl_at \'login\'' -l key-in -x -a 'header query' -d 'where Subscriptions and CDN calls carry the key (default header)'
complete -c gatectl -n '__gatectl_at \'login\'' -l ca-file -r -F -d 'PEM file of a further certificate authority to trust'
complete -c gatectl -n '__gatectl_at \'login\'' -l api-key-stdin -d 'read the API key from stdin and store it in the profiles file (mode 0600)'
complete -c gatectl -n '__gatectl_at \'login\'' -l api-key-file -r -F -d 'read the API key from the first line of this file each time'
complete -c gatectl -n '__gatectl_at \'login\'' -l key-command -x -d 'get the API key from the output of this command each time (no shell)'
complete -c gatectl -n '__gatectl_at \'login\'' -l keyring -d 'store the API key in the operating system\'s keyring (prompted for, or read from stdin)'
complete -c gatectl -n '__gatectl_at \'login\'' -l skip-check -d 'store without testing the key against the gateway'

complete -c gatectl -n '__gatectl_at \'profile\'' -a 'add' -d 'add or update a connection profile'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'list' -d 'list the stored profiles'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'show' -d 'show every setting and where it comes from'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'use' -d 'set the profile in use'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'set' -d 'change one setting of a profile'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'unset' -d 'reset one setting of a profile to its default'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'set-key' -d 'replace the API key of a profile'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'remove' -d 'remove a profile and its stored key'
complete -c gatectl -n '__gatectl_at \'profile\'' -a 'path' -d 'print the path of the profiles file'

complete -c gatectl -n '__gatectl_argument \'profile add\' 1' -a '(__gatectl_local profile)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l domain -x -a '(__gatectl_local domain)' -d 'the default domain'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l brand -x -d 'the service\'s brand word in header names and platform values (default service)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l key-in -x -a 'header query' -d 'where Subscriptions and CDN calls carry the key (default header)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l ca-file -r -F -d 'PEM file of a further certificate authority to trust'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l time-zone -x -a '(__gatectl_local time-zone)' -d 'IANA time zone in which days begin and times are shown'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l protected -d 'require --confirm for a purge of a whole domain'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l prefix-subscriptions -x -d 'path of the Subscriptions API below the base URL'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l prefix-cdn -x -d 'path of the CDN API below the base URL'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l prefix-bda-v1 -x -d 'path of the analytics API v1 below the base URL'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l prefix-bda-v2 -x -d 'path of the analytics API v2 below the base URL'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l api-key-stdin -d 'read the API key from stdin and store it in the profiles file (mode 0600)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l api-key-file -r -F -d 'read the API key from the first line of this file each time'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l key-command -x -d 'get the API key from the output of this command each time (no shell)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l keyring -d 'store the API key in the operating system\'s keyring (prompted for, or read from stdin)'
complete -c gatectl -n '__gatectl_at \'profile add\'' -l replace -d 'drop all settings and the key of an existing profile first'

complete -c gatectl -n '__gatectl_at \'profile list\'' -l columns -x -d 'print these columns in this order, separated by commas'

complete -c gatectl -n '__gatectl_argument \'profile show\' 1' -a '(__gatectl_local profile)'

complete -c gatectl -n '__gatectl_argument \'profile use\' 1' -a '(__gatectl_local profile)'

complete -c gatectl -n '__gatectl_argument \'profile set\' 1' -a '(__gatectl_local setting)'
complete -c gatectl -n '__gatectl_argument \'profile set\' 2' -a '(__gatectl_local setting-value)'
complete -c gatectl -n '__gatectl_at \'profile set\'' -l api-key-stdin -d 'read the API key from stdin and store it in the profiles file (mode 0600)'
complete -c gatectl -n '__gatectl_at \'profile set\'' -l api-key-file -r -F -d 'read the API key from the first line of this file each time'
complete -c gatectl -n '__gatectl_at \'profile set\'' -l key-command -x -d 'get the API key from the output of this command each time (no shell)'
complete -c gatectl -n '__gatectl_at \'profile set\'' -l keyring -d 'store the API key in the operating system\'s keyring (prompted for, or read from stdin)'
complete -c gatectl -n '__gatectl_at \'profile set\'' -l move-key-from -x -d 'send the key that was stored for this URL to the new base-url'

complete -c gatectl -n '__gatectl_argument \'profile unset\' 1' -a '(__gatectl_local setting)'

complete -c gatectl -n '__gatectl_argument \'profile set-key\' 1' -a '(__gatectl_local profile)'
complete -c gatectl -n '__gatectl_at \'profile set-key\'' -l api-key-stdin -d 'read the API key from stdin and store it in the profiles file (mode 0600)'
complete -c gatectl -n '__gatectl_at \'profile set-key\'' -l api-key-file -r -F -d 'read the API key from the first line of this file each time'
complete -c gatectl -n '__gatectl_at \'profile set-key\'' -l key-command -x -d 'get the API key from the output of this command each time (no shell)'
complete -c gatectl -n '__gatectl_at \'profile set-key\'' -l keyring -d 'store the API key in the operating system\'s keyring (prompted for, or read from stdin)'

complete -c gatectl -n '__gatectl_argument \'profile remove\' 1' -a '(__gatectl_local profile)'
complete -c gatectl -n '__gatectl_at \'profile remove\'' -l yes -d 'remove the stored key without confirmation'

complete -c gatectl -n '__gatectl_at \'alias\'' -a 'set' -d 'give a command line a short name'
complete -c gatectl -n '__gatectl_at \'alias\'' -a 'list' -d 'list the aliases'
complete -c gatectl -n '__gatectl_at \'alias\'' -a 'delete' -d 'forget an alias'

complete -c gatectl -n '__gatectl_argument \'alias set\' 1' -a '(__gatectl_local alias)'
complete -c gatectl -n '__gatectl_at \'alias set\'' -l replace -d 'overwrite an alias of the same name'

complete -c gatectl -n '__gatectl_argument \'alias delete\' 1' -a '(__gatectl_local alias)'

complete -c gatectl -n '__gatectl_at \'doctor\'' -l domain -x -a '(__gatectl_local domain)' -d 'the domain to query Subscriptions for (default: the profile\'s)'
complete -c gatectl -n '__gatectl_at \'doctor\'' -l api -x -a 'subscriptions cdn bda-v1 bda-v2' -d 'check only these APIs: subscriptions, cdn, bda-v1, bda-v2'
complete -c gatectl -n '__gatectl_at \'doctor\'' -l sync -r -F -d 'check the destination of this sync file (default: gatectl.sync.yaml here)'
complete -c gatectl -n '__gatectl_at \'doctor\'' -l bundle -r -F -d 'also write a support bundle, with all secrets removed'

complete -c gatectl -n '__gatectl_argument \'unlock\' 1+' -F
complete -c gatectl -n '__gatectl_at \'unlock\'' -l force -d 'release locks of running processes, too'

complete -c gatectl -n '__gatectl_argument \'api\' 1' -a 'GET POST PUT PATCH DELETE HEAD'
complete -c gatectl -n '__gatectl_at \'api\'' -s f -l raw-field -x -d 'add a field whose value is text (repeatable)'
complete -c gatectl -n '__gatectl_at \'api\'' -s F -l field -x -d 'add a typed field: true, false, null, a number, @FILE for the content of a file, or @- for stdin (repeatable)'
complete -c gatectl -n '__gatectl_at \'api\'' -s H -l header -x -d 'add a header, such as \'X-Service-Reader-Email: reader@example.com\''
complete -c gatectl -n '__gatectl_at \'api\'' -l input -r -F -d 'send this JSON as the body (- for stdin)'
complete -c gatectl -n '__gatectl_at \'api\'' -s i -l include -d 'print status and headers before the body'
complete -c gatectl -n '__gatectl_at \'api\'' -l paginate -d 'fetch all pages of an analytics v2 query and print one document'

complete -c gatectl -n '__gatectl_at \'sandbox\'' -a 'serve' -d 'run the embedded gateway until Ctrl-C'

complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l port -x -d 'the port (0 takes a free one)'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l host -x -d 'the address to listen on (default 127.0.0.1); 0.0.0.0 for containers, with a generated key'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l cors -x -d 'let web pages of these origins read responses (CORS)'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l purge-to -x -d 'send PURGE and BAN for what the CDN clears to this cache, such as Varnish before /__origin/'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l fixtures -r -F -d 'your own domains, products, readers and purchases, as JSON'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l seed -x -d 'the seed of the made-up data; the same seed gives the same data (default 1)'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l restate -d 'change the figures of past days as the clock advances: most settle within a week, a few change after months'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l clock -x -d 'start the server\'s clock at this RFC 3339 time instead of now'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l brand -x -d 'the service\'s brand word in header names and platform values (default that of the profile, or service)'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l record-from -x -a '(__gatectl_local profile)' -d 'send requests to the gateway of this profile and record them'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l record-to -x -a '(__fish_complete_directories)' -d 'the folder of the recording, which must be empty or new'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l replay -x -a '(__fish_complete_directories)' -d 'serve the responses of a recording'
complete -c gatectl -n '__gatectl_at \'sandbox serve\'' -l fault -x -d 'misbehave: status=503,path=/access,count=2 (path= is how it begins or ends) · delay=2s · reset · truncate=100 · …'

complete -c gatectl -n '__gatectl_at \'mcp\'' -a 'install' -d 'add gatectl to the configuration of an AI client'
complete -c gatectl -n '__gatectl_at \'mcp\'' -l allow -x -a 'cdn-purge' -d 'allow a write: cdn-purge (repeatable)'
complete -c gatectl -n '__gatectl_at \'mcp\'' -l unmask -d 'show e-mail addresses of readers to the assistant'
complete -c gatectl -n '__gatectl_at \'mcp\'' -l max-targets -x -d 'maximum URLs or keys in one purge plan'
complete -c gatectl -n '__gatectl_at \'mcp\'' -l calls-per-minute -x -d 'maximum calls per minute'
complete -c gatectl -n '__gatectl_at \'mcp\'' -l http -x -d 'serve streamable HTTP on this loopback port instead (0: any free port)'

complete -c gatectl -n '__gatectl_argument \'mcp install\' 1' -a 'claude-desktop claude-code cursor vscode windsurf'
complete -c gatectl -n '__gatectl_at \'mcp install\'' -l allow -x -a 'cdn-purge' -d 'allow a write: cdn-purge (repeatable)'
complete -c gatectl -n '__gatectl_at \'mcp install\'' -s y -l yes -d 'write without confirmation'
complete -c gatectl -n '__gatectl_at \'mcp install\'' -l dry-run -d 'show the change without writing'

complete -c gatectl -n '__gatectl_at \'completion\'' -a 'install' -d 'install completions for your shell'
complete -c gatectl -n '__gatectl_at \'completion\'' -a 'uninstall' -d 'remove installed completions'
complete -c gatectl -n '__gatectl_at \'completion\'' -a 'bash' -d 'print the completion script for bash'
complete -c gatectl -n '__gatectl_at \'completion\'' -a 'zsh' -d 'print the completion script for zsh'
complete -c gatectl -n '__gatectl_at \'completion\'' -a 'fish' -d 'print the completion script for fish'
complete -c gatectl -n '__gatectl_at \'completion\'' -a 'powershell' -d 'print the completion script for PowerShell'

complete -c gatectl -n '__gatectl_at \'completion install\'' -l shell -x -a 'bash zsh fish powershell' -d 'the shell (default: that of $SHELL)'

complete -c gatectl -n '__gatectl_at \'completion uninstall\'' -l shell -x -a 'bash zsh fish powershell' -d 'the shell (default: that of $SHELL)'

complete -c gatectl -n '__gatectl_argument \'schema\' 1+' -a '(__gatectl_local command)'
complete -c gatectl -n '__gatectl_at \'schema\'' -l openapi -d 'print an OpenAPI 3.1 document of the API; x-assumed marks undocumented behaviour'
complete -c gatectl -n '__gatectl_at \'schema\'' -l sync -d 'print a JSON Schema of gatectl.sync.yaml, for editors'
complete -c gatectl -n '__gatectl_at \'schema\'' -l report -d 'print a JSON Schema of the files of bda report build, for editors'

complete -c gatectl -n '__gatectl_argument \'help\' 1+' -a '(__gatectl_local command)'
