# Completion of gatectl for PowerShell 5.1 and newer. `gatectl completion powershell` prints it; it is made from the
# commands, so don't edit it.

Register-ArgumentCompleter -Native -CommandName gatectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # By command: its commands, its flags, and what its arguments are. What a value is: '!' none, '-' anything, 'f' a
    # file, '=a b c' one of some words, '@kind' one that gatectl knows on this machine; '+' before it: all words up to
    # the next flag; '?': it may be left out.
    $everywhere = @(
        @{ Names = @('--profile', '-p'); Value = '@profile'; Summary = 'profile to use' }
        @{ Names = @('--base-url'); Value = '-'; Summary = 'root of the gateway; https, except on this machine' }
        @{ Names = @('--sandbox'); Value = '!'; Summary = 'use the embedded gateway: no key, no network' }
        @{ Names = @('--no-compression'); Value = '!'; Summary = 'request uncompressed responses' }
        @{ Names = @('--curl'); Value = '!'; Summary = 'print the equivalent curl command and send nothing' }
        @{ Names = @('--timeout'); Value = '-'; Summary = 'time limit per request (default 30; cdn 60)' }
        @{ Names = @('--retries'); Value = '-'; Summary = 'maximum retries per request (default 3)' }
        @{ Names = @('--insecure-http'); Value = '!'; Summary = 'allow plain http to another machine' }
        @{ Names = @('--output', '-o'); Value = '=table json ndjson csv tsv md html parquet xlsx'; Summary = 'output format: table, json, ndjson, csv, tsv, md, html; with --out also parquet, xlsx' }
        @{ Names = @('--json'); Value = '!'; Summary = 'same as --output json' }
        @{ Names = @('--csv'); Value = '!'; Summary = 'same as --output csv' }
        @{ Names = @('--csv-dialect'); Value = '=rfc4180 excel excel-semicolon'; Summary = 'form of csv: rfc4180, excel, excel-semicolon (default rfc4180)' }
        @{ Names = @('--decimals'); Value = '-'; Summary = 'round numbers to n decimals; table, md, html, .xlsx only' }
        @{ Names = @('--jq'); Value = '-'; Summary = 'filter JSON output with a jq expression' }
        @{ Names = @('--quiet', '-q'); Value = '!'; Summary = 'suppress notes, and the tables of successful jobs' }
        @{ Names = @('--verbose', '-v'); Value = '!'; Summary = 'log each HTTP request to stderr, without secrets' }
        @{ Names = @('--tz'); Value = '@time-zone'; Summary = 'time zone of days and times, such as Europe/Madrid' }
        @{ Names = @('--no-color'); Value = '!'; Summary = 'print without colors' }
        @{ Names = @('--no-pager'); Value = '!'; Summary = 'print long output without a pager' }
        @{ Names = @('--no-input'); Value = '!'; Summary = 'never prompt' }
        @{ Names = @('--help', '-h'); Value = '!'; Summary = 'show help' }
    )
    $pages = @{
        '' = @{
            Commands = [ordered]@{
                'access' = 'check reader access to a product or an item'
                'products' = 'list the product handles a reader holds'
                'purchases' = 'list a reader''s purchases and entitlements'
                'reader' = 'show a reader''s access, products and purchases'
                'reply' = 'manage the reply templates of gatectl reader --reply'
                'token' = 'mint an identity token for a signed-in reader'
                'cdn' = 'purge the CDN cache'
                'bda' = 'query and export analytics'
                'login' = 'connect to a gateway: test and store its address and key'
                'profile' = 'manage connection profiles'
                'alias' = 'manage short names for command lines'
                'doctor' = 'diagnose configuration, network and API problems'
                'unlock' = 'remove locks left by processes that have ended'
                'api' = 'send a raw request with authentication'
                'sandbox' = 'run the embedded gateway'
                'mcp' = 'serve tools to an AI assistant (Model Context Protocol)'
                'completion' = 'install or print shell completions'
                'schema' = 'print the commands and their options as JSON'
                'help' = 'show help for a command, or a topic: exit-codes, errors, environment, profiles, filters, dates, output'
            }
            Flags = @(
                @{ Names = @('--version', '-V'); Value = '!'; Summary = 'print the version' }
            )
            Arguments = @()
        }
        'access' = @{
            Commands = [ordered]@{
                'audit' = 'compare a billing list with reader access'
                'wait' = 'wait until a reader''s access changes'
            }
            Flags = @(
                @{ Names = @('--product'); Value = '-'; Summary = 'the product handle' }
                @{ Names = @('--item'); Value = '-'; Summary = 'the key of a one-time item; for a single article, the URL of its page' }
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--reader-token'); Value = '-'; Summary = 'the reader''s session token, as getSessionToken() returned it' }
                @{ Names = @('--reader-token-stdin'); Value = '!'; Summary = 'read the session token from stdin, so that no process list shows it' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
                @{ Names = @('--mask'); Value = '!'; Summary = 'hide e-mail addresses in the output' }
                @{ Names = @('--from-file'); Value = 'f'; Summary = 'check all readers of a file (- for stdin): one address per line, CSV or JSON' }
                @{ Names = @('--email-column'); Value = '-'; Summary = 'the column with the addresses (default: detected)' }
                @{ Names = @('--encoding'); Value = '=utf-8 utf-16le utf-16be latin1'; Summary = 'encoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved' }
                @{ Names = @('--skip-invalid'); Value = '!'; Summary = 'skip invalid lines of the list instead of stopping' }
                @{ Names = @('--failed-file'); Value = 'f'; Summary = 'write the readers of a list that could not be checked, in the format --from-file reads' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum requests in flight (default: adapts to the server, up to 64)' }
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
                @{ Names = @('--exit-code'); Value = '!'; Summary = 'exit 3 when the decision is not allowed' }
            )
            Arguments = @('-')
        }
        'access audit' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--from-file'); Value = 'f'; Summary = 'list of readers (- for stdin): CSV, JSON, or one address per line' }
                @{ Names = @('--expect-column'); Value = '-'; Summary = 'column with the payment status: a plan, a state, yes or no (default: all readers have paid)' }
                @{ Names = @('--paid'); Value = '-'; Summary = 'value of that column that means paid (repeatable)' }
                @{ Names = @('--unpaid'); Value = '-'; Summary = 'value of that column that means not paid (repeatable)' }
                @{ Names = @('--product-column'); Value = '-'; Summary = 'column with the product handles; --product applies to lines without one' }
                @{ Names = @('--email-column'); Value = '-'; Summary = 'the column with the addresses (default: detected)' }
                @{ Names = @('--encoding'); Value = '=utf-8 utf-16le utf-16be latin1'; Summary = 'encoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved' }
                @{ Names = @('--skip-invalid'); Value = '!'; Summary = 'skip invalid lines of the list instead of stopping' }
                @{ Names = @('--product'); Value = '-'; Summary = 'the product handle' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum requests in flight (default: adapts to the server, up to 64)' }
                @{ Names = @('--resume'); Value = '!'; Summary = 'resume an interrupted audit; stored results are not requested again' }
                @{ Names = @('--against'); Value = '-'; Summary = 'compare with an earlier audit: last, or a day such as 2026-03-14' }
                @{ Names = @('--max-drift'); Value = '-'; Summary = 'exit 7 if more readers than this do not match the list: 1%, 0.5%, or a number' }
                @{ Names = @('--on-drift'); Value = '-'; Summary = 'run this shell command if they do not match (without --max-drift: on any mismatch), with the totals as JSON on stdin' }
                @{ Names = @('--out'); Value = 'f'; Summary = 'write every finding to this file: .csv, .tsv, .ndjson, .json, .xlsx, .md or .html' }
                @{ Names = @('--mask'); Value = '!'; Summary = 'hide e-mail addresses in the output' }
            )
            Arguments = @()
        }
        'access wait' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--product'); Value = '-'; Summary = 'the product handle' }
                @{ Names = @('--item'); Value = '-'; Summary = 'the key of a one-time item; for a single article, the URL of its page' }
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--reader-token'); Value = '-'; Summary = 'the reader''s session token, as getSessionToken() returned it' }
                @{ Names = @('--reader-token-stdin'); Value = '!'; Summary = 'read the session token from stdin, so that no process list shows it' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
                @{ Names = @('--mask'); Value = '!'; Summary = 'hide e-mail addresses in the output' }
                @{ Names = @('--until'); Value = '=allowed denied'; Summary = 'allowed (default), or denied: any other decision' }
                @{ Names = @('--for'); Value = '-'; Summary = 'stop after this time: 90s, 15m, 1h' }
                @{ Names = @('--every'); Value = '-'; Summary = 'pause between checks' }
            )
            Arguments = @('-')
        }
        'products' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--reader-token'); Value = '-'; Summary = 'the reader''s session token, as getSessionToken() returned it' }
                @{ Names = @('--reader-token-stdin'); Value = '!'; Summary = 'read the session token from stdin, so that no process list shows it' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
            )
            Arguments = @('-')
        }
        'purchases' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--reader-token'); Value = '-'; Summary = 'the reader''s session token, as getSessionToken() returned it' }
                @{ Names = @('--reader-token-stdin'); Value = '!'; Summary = 'read the session token from stdin, so that no process list shows it' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
                @{ Names = @('--active'); Value = '!'; Summary = 'only those that give access now' }
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @('-')
        }
        'reader' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--reader-token'); Value = '-'; Summary = 'the reader''s session token, as getSessionToken() returned it' }
                @{ Names = @('--reader-token-stdin'); Value = '!'; Summary = 'read the session token from stdin, so that no process list shows it' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
                @{ Names = @('--product'); Value = '-'; Summary = 'also check this product (repeatable)' }
                @{ Names = @('--why'); Value = '!'; Summary = 'also show what changed since the last --why, and a reply to paste; hides the address' }
                @{ Names = @('--reply'); Value = '!'; Summary = 'print only the reply to paste' }
                @{ Names = @('--language'); Value = '=en de es fr'; Summary = 'language of the reply: en (default), de, es, fr, or one with custom templates' }
                @{ Names = @('--mask'); Value = '!'; Summary = 'hide e-mail addresses in the output' }
                @{ Names = @('--unmask'); Value = '!'; Summary = 'show e-mail addresses with --why' }
            )
            Arguments = @('-')
        }
        'reply' = @{
            Commands = [ordered]@{
                'list' = 'list reply templates'
                'show' = 'print a reply template'
                'edit' = 'change a reply template'
                'reset' = 'restore a built-in reply template'
            }
            Flags = @()
            Arguments = @()
        }
        'reply list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--language'); Value = '=en de es fr'; Summary = 'only this language' }
            )
            Arguments = @()
        }
        'reply show' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--language'); Value = '=en de es fr'; Summary = 'language of the reply: en (default), de, es, fr, or one with custom templates' }
            )
            Arguments = @('=allowed denied login_required expired revoked unknown_product not_started suspended pending')
        }
        'reply edit' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--language'); Value = '=en de es fr'; Summary = 'language of the reply: en (default), de, es, fr, or one with custom templates' }
                @{ Names = @('--file'); Value = 'f'; Summary = 'read the text from this file (- for stdin) instead of an editor' }
            )
            Arguments = @('=allowed denied login_required expired revoked unknown_product not_started suspended pending')
        }
        'reply reset' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--language'); Value = '=en de es fr'; Summary = 'language of the reply: en (default), de, es, fr, or one with custom templates' }
            )
            Arguments = @('=allowed denied login_required expired revoked unknown_product not_started suspended pending')
        }
        'token' = @{
            Commands = [ordered]@{
                'inspect' = 'show the claims and times of a token'
            }
            Flags = @(
                @{ Names = @('--email'); Value = '-'; Summary = 'the reader''s e-mail address, instead of EMAIL' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'one of the account''s domains (default: the profile''s)' }
            )
            Arguments = @('-')
        }
        'token inspect' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--key'); Value = 'f'; Summary = 'verify with a PEM public key, a JWK, a set of JWKs or a shared secret' }
            )
            Arguments = @()
        }
        'cdn' = @{
            Commands = [ordered]@{
                'ping' = 'check whether the CDN API responds'
                'purge' = 'purge URLs, surrogate keys or a whole domain from the cache'
                'history' = 'list earlier purges of this gateway'
            }
            Flags = @()
            Arguments = @()
        }
        'cdn ping' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'cdn purge' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--file'); Value = 'f'; Summary = 'clear the URLs of this file, the same as @FILE (- for stdin)' }
                @{ Names = @('--sitemap'); Value = 'f'; Summary = 'clear every URL of a sitemap; follows indexes and .gz' }
                @{ Names = @('--changed-since'); Value = '-'; Summary = 'with --sitemap: only pages that changed since the last confirmed purge, or a day' }
                @{ Names = @('--prefix'); Value = '-'; Summary = 'clear all known URLs that start with this one' }
                @{ Names = @('--known-from'); Value = '-'; Summary = 'with --prefix: sitemap, sitemap:URL, analytics, analytics:30d (default: sitemap,analytics)' }
                @{ Names = @('--key'); Value = '+-'; Summary = 'clear these surrogate keys (repeatable, or separated by commas)' }
                @{ Names = @('--key-file'); Value = 'f'; Summary = 'clear the surrogate keys of this file: lines, CSV or JSON (- for stdin)' }
                @{ Names = @('--keys-from-page'); Value = '-'; Summary = 'clear the surrogate keys in this page''s Surrogate-Key header' }
                @{ Names = @('--all'); Value = '!'; Summary = 'purge everything on the domain' }
                @{ Names = @('--changed'); Value = 'f'; Summary = 'clear what changed in a built site since the last confirmed purge' }
                @{ Names = @('--git'); Value = '-'; Summary = 'clear what changed up to this deployed revision; BASE..REF names the base' }
                @{ Names = @('--resume'); Value = '!'; Summary = 'resume the last interrupted purge' }
                @{ Names = @('--no-resume'); Value = '!'; Summary = 'purge all URLs, even if a purge of the same list was interrupted' }
                @{ Names = @('--map'); Value = 'f'; Summary = 'YAML with rules from files to URLs and surrogate keys' }
                @{ Names = @('--explain'); Value = 'f'; Summary = 'print what a changed file leads to, and send nothing' }
                @{ Names = @('--deploy'); Value = '-'; Summary = 'number of this deploy; a missing one widens the purge' }
                @{ Names = @('--or-all'); Value = '!'; Summary = 'purge the whole domain where the changes are not known; requires --yes' }
                @{ Names = @('--undo-plan'); Value = '-'; Summary = 'print what repeating an earlier purge would clear, and send nothing' }
                @{ Names = @('--impact'); Value = '!'; Summary = 'print page views, visits and revenue of the pages over 7 days before the purge' }
                @{ Names = @('--max-impact'); Value = '-'; Summary = 'send nothing if the pages have more of the page views, such as 5%' }
                @{ Names = @('--stage'); Value = '-'; Summary = 'purge in stages, such as 2%,20%,100%; stop at failed or stale pages' }
                @{ Names = @('--pause'); Value = '-'; Summary = 'with --stage: wait between stages, such as 60s' }
                @{ Names = @('--warm'); Value = '-'; Summary = 'fetch the most viewed of the purged pages again, such as top:500' }
                @{ Names = @('--warm-rate'); Value = '-'; Summary = 'with --warm: maximum requests per second (default 10/s)' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'the domain of keys and of --all, and the only one URLs may be on (default: the profile''s)' }
                @{ Names = @('--any-domain'); Value = '!'; Summary = 'allow URLs of any domain' }
                @{ Names = @('--skip-invalid'); Value = '!'; Summary = 'skip invalid URLs instead of rejecting the list' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum requests in flight (default: adapts to the server, up to 64)' }
                @{ Names = @('--no-split'); Value = '!'; Summary = 'do not split a rejected batch to find the invalid URL' }
                @{ Names = @('--failed-file'); Value = 'f'; Summary = 'write failed targets to this file, in the format --file reads' }
                @{ Names = @('--summary'); Value = 'f'; Summary = 'append the outcome as Markdown, such as to $GITHUB_STEP_SUMMARY' }
                @{ Names = @('--dry-run'); Value = '!'; Summary = 'print the requests without sending them' }
                @{ Names = @('--repeat-after'); Value = '-'; Summary = 'purge again after this many seconds, to catch pages cached in between' }
                @{ Names = @('--verify'); Value = '!'; Summary = 'fetch the first 50 URLs before and after, and report which are fresh' }
                @{ Names = @('--receipt'); Value = 'f'; Summary = 'with --verify: write the result as JSON' }
                @{ Names = @('--yes'); Value = '!'; Summary = 'with --all and --or-all: skip the confirmation' }
                @{ Names = @('--confirm'); Value = '-'; Summary = 'with --all: confirm the domain, as protected profiles require' }
            )
            Arguments = @('+-')
        }
        'cdn history' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'list only purges of this domain' }
                @{ Names = @('--limit'); Value = '-'; Summary = 'maximum number of purges' }
            )
            Arguments = @()
        }
        'bda' = @{
            Commands = [ordered]@{
                'domains' = 'list the sites of the account'
                'columns' = 'list the dimensions and metrics'
                'data-sets' = 'list the data sets'
                'date-range' = 'show the first and the last day with data'
                'query' = 'query analytics, or export all rows'
                'why' = 'explain what changed a metric'
                'watch' = 'detect unusual drops and rises of metrics'
                'report' = 'run and create saved reports, and build documents'
                'segment' = 'list and create segments of report rows'
                'filter' = 'list plain filters for segments'
                'multifilter' = 'list multifilters for segments, and their options'
                'sync' = 'copy analytics of every site to Parquet files or a database'
                'sql' = 'query exported files and synced tables with SQL'
                'migrate-query' = 'convert a v1 request to the equivalent v2 query'
            }
            Flags = @()
            Arguments = @()
        }
        'bda domains' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--api'); Value = '=v1 v2'; Summary = 'API version: v2 (default), or v1 with saved reports' }
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda columns' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--api'); Value = '=v1 v2'; Summary = 'API version: v2 (default), or v1 with saved reports' }
                @{ Names = @('--search'); Value = '-'; Summary = 'only columns with this word in their name, description or unit' }
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'only columns of this data set' }
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
                @{ Names = @('--refresh'); Value = '!'; Summary = 'update the cached columns; fail when they cannot be cached' }
            )
            Arguments = @()
        }
        'bda data-sets' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda date-range' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'bda query' = @{
            Commands = [ordered]@{
                'save' = 'save a query under a name'
                'run' = 'run a saved query'
                'list' = 'list the saved queries'
                'show' = 'print a saved query'
                'delete' = 'delete a saved query'
            }
            Flags = @(
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set to query (see gatectl bda data-sets)' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'columns to group by, comma-separated or repeated' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'columns to measure, comma-separated or repeated' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3'' or ''country=DE,AT''' }
                @{ Names = @('--any-of'); Value = '+@filter'; Summary = 'conditions of which at least one must match' }
                @{ Names = @('--filter-json'); Value = '-'; Summary = 'a filter as API JSON, or a list of filters' }
                @{ Names = @('--sort'); Value = '@sort'; Summary = 'sort by a column, ascending unless :desc' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--limit'); Value = '-'; Summary = 'maximum rows (default: 100 in table, md and html)' }
                @{ Names = @('--offset'); Value = '-'; Summary = 'rows to skip at the beginning' }
                @{ Names = @('--all'); Value = '!'; Summary = 'all rows, in table, md and html too' }
                @{ Names = @('--page-size'); Value = '-'; Summary = 'rows per request (default 100000)' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum pages in flight (default: adapts, up to 4)' }
                @{ Names = @('--units'); Value = '!'; Summary = 'units in the headings of table, md and html' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if the result is incomplete' }
                @{ Names = @('--out'); Value = 'f'; Summary = '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://' }
                @{ Names = @('--resume'); Value = '!'; Summary = 'require an interrupted export to --out to resume' }
                @{ Names = @('--no-resume'); Value = '!'; Summary = 'discard the rows of an interrupted export to --out' }
                @{ Names = @('--manifest'); Value = '!'; Summary = 'write query, days, rows, hash to FILE.meta.json' }
                @{ Names = @('--chart'); Value = '?f'; Summary = 'draw a chart, or write it: .svg, .png, .html' }
                @{ Names = @('--title'); Value = '-'; Summary = 'title of the chart' }
                @{ Names = @('--ascii'); Value = '!'; Summary = 'draw with ASCII characters only' }
                @{ Names = @('--compare'); Value = '=previous year'; Summary = 'compare with: previous (period), year (earlier)' }
                @{ Names = @('--match-weekdays'); Value = '!'; Summary = 'with --compare: shift by complete weeks' }
                @{ Names = @('--complete-periods'); Value = '!'; Summary = 'omit partial weeks and months' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--case-normalization'); Value = '-'; Summary = 'treatment of letter case in page addresses' }
                @{ Names = @('--print'); Value = '!'; Summary = 'print the query as JSON and send nothing' }
            )
            Arguments = @('f')
        }
        'bda query save' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set to query (see gatectl bda data-sets)' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'columns to group by, comma-separated or repeated' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'columns to measure, comma-separated or repeated' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3'' or ''country=DE,AT''' }
                @{ Names = @('--any-of'); Value = '+@filter'; Summary = 'conditions of which at least one must match' }
                @{ Names = @('--filter-json'); Value = '-'; Summary = 'a filter as API JSON, or a list of filters' }
                @{ Names = @('--sort'); Value = '@sort'; Summary = 'sort by a column, ascending unless :desc' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--limit'); Value = '-'; Summary = 'maximum rows (default: 100 in table, md and html)' }
                @{ Names = @('--offset'); Value = '-'; Summary = 'rows to skip at the beginning' }
                @{ Names = @('--compare'); Value = '=previous year'; Summary = 'compare with: previous (period), year (earlier)' }
                @{ Names = @('--match-weekdays'); Value = '!'; Summary = 'with --compare: shift by complete weeks' }
                @{ Names = @('--complete-periods'); Value = '!'; Summary = 'omit partial weeks and months' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--case-normalization'); Value = '-'; Summary = 'treatment of letter case in page addresses' }
                @{ Names = @('--project'); Value = '!'; Summary = 'save it in the project, for everyone who works on it' }
                @{ Names = @('--replace'); Value = '!'; Summary = 'overwrite a saved query of the same name' }
            )
            Arguments = @('@query', 'f')
        }
        'bda query run' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set to query (see gatectl bda data-sets)' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'columns to group by, comma-separated or repeated' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'columns to measure, comma-separated or repeated' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3'' or ''country=DE,AT''' }
                @{ Names = @('--any-of'); Value = '+@filter'; Summary = 'conditions of which at least one must match' }
                @{ Names = @('--filter-json'); Value = '-'; Summary = 'a filter as API JSON, or a list of filters' }
                @{ Names = @('--sort'); Value = '@sort'; Summary = 'sort by a column, ascending unless :desc' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--limit'); Value = '-'; Summary = 'maximum rows (default: 100 in table, md and html)' }
                @{ Names = @('--offset'); Value = '-'; Summary = 'rows to skip at the beginning' }
                @{ Names = @('--all'); Value = '!'; Summary = 'all rows, in table, md and html too' }
                @{ Names = @('--page-size'); Value = '-'; Summary = 'rows per request (default 100000)' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum pages in flight (default: adapts, up to 4)' }
                @{ Names = @('--units'); Value = '!'; Summary = 'units in the headings of table, md and html' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if the result is incomplete' }
                @{ Names = @('--out'); Value = 'f'; Summary = '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://' }
                @{ Names = @('--resume'); Value = '!'; Summary = 'require an interrupted export to --out to resume' }
                @{ Names = @('--no-resume'); Value = '!'; Summary = 'discard the rows of an interrupted export to --out' }
                @{ Names = @('--manifest'); Value = '!'; Summary = 'write query, days, rows, hash to FILE.meta.json' }
                @{ Names = @('--chart'); Value = '?f'; Summary = 'draw a chart, or write it: .svg, .png, .html' }
                @{ Names = @('--title'); Value = '-'; Summary = 'title of the chart' }
                @{ Names = @('--ascii'); Value = '!'; Summary = 'draw with ASCII characters only' }
                @{ Names = @('--compare'); Value = '=previous year'; Summary = 'compare with: previous (period), year (earlier)' }
                @{ Names = @('--match-weekdays'); Value = '!'; Summary = 'with --compare: shift by complete weeks' }
                @{ Names = @('--complete-periods'); Value = '!'; Summary = 'omit partial weeks and months' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--case-normalization'); Value = '-'; Summary = 'treatment of letter case in page addresses' }
                @{ Names = @('--print'); Value = '!'; Summary = 'print the query as JSON and send nothing' }
            )
            Arguments = @('@query')
        }
        'bda query list' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'bda query show' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('@query')
        }
        'bda query delete' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--project'); Value = '!'; Summary = 'delete the project''s instead of your own' }
            )
            Arguments = @('@query')
        }
        'bda why' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set to query (see gatectl bda data-sets)' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'metric whose change to explain' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'dimensions to examine (default: chosen from the listed columns)' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3'' or ''country=DE,AT''' }
                @{ Names = @('--any-of'); Value = '+@filter'; Summary = 'conditions of which at least one must match' }
                @{ Names = @('--filter-json'); Value = '-'; Summary = 'a filter as API JSON, or a list of filters' }
                @{ Names = @('--compare'); Value = '=previous year'; Summary = 'period to compare with: previous (default) or year (a year earlier)' }
                @{ Names = @('--match-weekdays'); Value = '!'; Summary = 'with --compare: shift by complete weeks' }
                @{ Names = @('--depth'); Value = '-'; Summary = 'levels: with 2, also explain the first value by the other dimensions' }
                @{ Names = @('--top'); Value = '-'; Summary = 'number of values to list; the others are one row' }
                @{ Names = @('--max-requests'); Value = '-'; Summary = 'maximum requests' }
                @{ Names = @('--additive'); Value = '-'; Summary = 'metrics that are sums of their parts' }
                @{ Names = @('--ratio'); Value = '-'; Summary = 'a metric that is a quotient: ''rpm=revenue/visits''' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--chart'); Value = '?f'; Summary = 'draw a chart, or write it: .svg, .png, .html' }
                @{ Names = @('--title'); Value = '-'; Summary = 'title of the chart' }
                @{ Names = @('--ascii'); Value = '!'; Summary = 'draw with ASCII characters only' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--case-normalization'); Value = '-'; Summary = 'treatment of letter case in page addresses' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if the periods are not comparable' }
            )
            Arguments = @()
        }
        'bda watch' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set to query (see gatectl bda data-sets)' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'columns to measure, comma-separated or repeated' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3'' or ''country=DE,AT''' }
                @{ Names = @('--any-of'); Value = '+@filter'; Summary = 'conditions of which at least one must match' }
                @{ Names = @('--filter-json'); Value = '-'; Summary = 'a filter as API JSON, or a list of filters' }
                @{ Names = @('--query'); Value = '@query'; Summary = 'watch the metrics of this saved query' }
                @{ Names = @('--additive'); Value = '-'; Summary = 'metrics that are sums of their parts, for --why' }
                @{ Names = @('--threshold'); Value = '-'; Summary = 'usual deviations from which a change is an alert' }
                @{ Names = @('--min-change'); Value = '-'; Summary = 'smallest change that is an alert' }
                @{ Names = @('--min-volume'); Value = '-'; Summary = 'usual figure, or visits of a ratio, below which none is' }
                @{ Names = @('--direction'); Value = '=drop rise both'; Summary = 'drop (the default), rise or both' }
                @{ Names = @('--holiday'); Value = '-'; Summary = 'days that are not comparable: 2026-04-06, 12-25 (every year), FROM..TO' }
                @{ Names = @('--settle'); Value = '-'; Summary = 'days until the figures of a day are final' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--case-normalization'); Value = '-'; Summary = 'treatment of letter case in page addresses' }
                @{ Names = @('--on-alert'); Value = '-'; Summary = 'shell command for a new alert, which gets it as JSON on stdin' }
                @{ Names = @('--on-clear'); Value = '-'; Summary = 'shell command for an alert that is over' }
                @{ Names = @('--why'); Value = '!'; Summary = 'explain a new alert, as gatectl bda why does' }
                @{ Names = @('--exit-code'); Value = '!'; Summary = 'exit 3 while there is an alert' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if a metric cannot be judged for lack of data' }
                @{ Names = @('--state'); Value = 'f'; Summary = 'file that remembers alerts (default: in the state folder)' }
                @{ Names = @('--metrics-file'); Value = 'f'; Summary = 'write the figures for Prometheus to this file' }
            )
            Arguments = @('f')
        }
        'bda report' = @{
            Commands = [ordered]@{
                'list' = 'list predefined and custom reports'
                'show' = 'show the definition of a report'
                'run' = 'run a saved report, or query columns'
                'create' = 'create a custom report from JSON'
                'build' = 'build a report of several queries'
            }
            Flags = @()
            Arguments = @()
        }
        'bda report list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda report show' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--id'); Value = '@custom-report'; Summary = 'custom report, by its id' }
            )
            Arguments = @('@report')
        }
        'bda report run' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--id'); Value = '@custom-report'; Summary = 'run a custom report, by its id' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'without a saved report: columns to group by' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'without a saved report: columns to measure' }
                @{ Names = @('--request'); Value = 'f'; Summary = 'data request as JSON (- for stdin); flags override' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'condition, such as ''visits>=3''' }
                @{ Names = @('--segment'); Value = '@segment'; Summary = 'split the rows by a segment; repeatable' }
                @{ Names = @('--group-by'); Value = '=day week month'; Summary = 'group the rows by day, week or month' }
                @{ Names = @('--sort'); Value = '@sort'; Summary = 'sort by a column, ascending unless :desc' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--limit'); Value = '-'; Summary = 'maximum rows (default: 100 in table, md and html)' }
                @{ Names = @('--offset'); Value = '-'; Summary = 'rows to skip at the beginning' }
                @{ Names = @('--all'); Value = '!'; Summary = 'all rows, in table, md and html too' }
                @{ Names = @('--page-size'); Value = '-'; Summary = 'rows per request (default 10000)' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum pages in flight (default: adapts, up to 4)' }
                @{ Names = @('--units'); Value = '!'; Summary = 'units in the headings of table, md and html' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if the result is incomplete' }
                @{ Names = @('--out'); Value = 'f'; Summary = '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://' }
                @{ Names = @('--resume'); Value = '!'; Summary = 'require an interrupted export to --out to resume' }
                @{ Names = @('--no-resume'); Value = '!'; Summary = 'discard the rows of an interrupted export to --out' }
                @{ Names = @('--manifest'); Value = '!'; Summary = 'write query, days, rows, hash to FILE.meta.json' }
                @{ Names = @('--chart'); Value = '?f'; Summary = 'draw a chart, or write it: .svg, .png, .html' }
                @{ Names = @('--title'); Value = '-'; Summary = 'title of the chart' }
                @{ Names = @('--ascii'); Value = '!'; Summary = 'draw with ASCII characters only' }
                @{ Names = @('--compare'); Value = '=previous year'; Summary = 'compare with: previous (period), year (earlier)' }
                @{ Names = @('--match-weekdays'); Value = '!'; Summary = 'with --compare: shift by complete weeks' }
                @{ Names = @('--complete-periods'); Value = '!'; Summary = 'omit partial weeks and months' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--domain-id'); Value = '@domain-id'; Summary = 'one site, by its id (see gatectl bda domains)' }
                @{ Names = @('--platform'); Value = '=service original all'; Summary = 'pages: service (or the brand word), original, all' }
                @{ Names = @('--query-params'); Value = '=include exclude'; Summary = 'include or exclude query strings in addresses' }
                @{ Names = @('--fragments'); Value = '=include exclude'; Summary = 'include or exclude fragments in addresses' }
                @{ Names = @('--revenue-decimals'); Value = '-'; Summary = 'number of decimals to round revenue to' }
            )
            Arguments = @('@report')
        }
        'bda report create' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('f')
        }
        'bda report build' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--out'); Value = 'f'; Summary = 'write a file: .html .xlsx .eml .md' }
                @{ Names = @('--format'); Value = '=html xlsx eml md'; Summary = 'format of the report (default: by the name of --out)' }
                @{ Names = @('--set'); Value = '-'; Summary = 'set a parameter of the report' }
                @{ Names = @('--dry-run'); Value = '!'; Summary = 'check the file and list its queries without sending them' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'exit 7 if the rows of a section are incomplete' }
            )
            Arguments = @('f')
        }
        'bda segment' = @{
            Commands = [ordered]@{
                'list' = 'list custom and premade segments'
                'create' = 'create a segment, from flags or JSON'
            }
            Flags = @()
            Arguments = @()
        }
        'bda segment list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda segment create' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--name'); Value = '-'; Summary = 'name of the segment' }
                @{ Names = @('--country'); Value = '-'; Summary = 'two-letter codes or names, comma-separated or repeated' }
                @{ Names = @('--device'); Value = '-'; Summary = 'kinds of devices, such as mobile,tablet' }
                @{ Names = @('--gender'); Value = '-'; Summary = 'genders' }
                @{ Names = @('--site'); Value = '-'; Summary = 'sites of the account' }
                @{ Names = @('--multifilter'); Value = '-'; Summary = 'any other multifilter: its name and its option keys' }
                @{ Names = @('--filter'); Value = '@filter'; Summary = 'a plain filter, such as ''pageviews>=100''' }
            )
            Arguments = @('f')
        }
        'bda filter' = @{
            Commands = [ordered]@{
                'list' = 'list the plain filters'
            }
            Flags = @()
            Arguments = @()
        }
        'bda filter list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda multifilter' = @{
            Commands = [ordered]@{
                'list' = 'list the multifilters'
                'types' = 'list the option keys of each type of multifilter'
            }
            Flags = @()
            Arguments = @()
        }
        'bda multifilter list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda multifilter types' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'bda sync' = @{
            Commands = [ordered]@{
                'init' = 'write a sync file'
                'plan' = 'show what a run would request, and why'
                'run' = 'bring the tables up to date'
                'sweep' = 'find figures that changed late, and request them again'
                'verify' = 'compare the tables with the gateway, exactly'
                'status' = 'show what the destination holds'
                'history' = 'list the latest runs, or the files of an earlier day'
                'ddl' = 'print the SQL that lets other engines read the tables'
                'rebalance' = 'move sites to the shards that were added to a cluster'
                'submit' = 'add the units of a plan to a queue for workers'
                'worker' = 'carry out units of the queue until it is stopped'
                'drain' = 'wait until the workers have emptied the queue'
                'retry' = 'return the set-aside units to the queue'
                'cancel' = 'remove the waiting and set-aside units of the queue'
            }
            Flags = @()
            Arguments = @()
        }
        'bda sync init' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--table'); Value = '-'; Summary = 'the name of the table (default that of the data set)' }
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'the data set (see bda data-sets)' }
                @{ Names = @('--dimension', '-d'); Value = '@column'; Summary = 'group by these columns, comma-separated or repeated' }
                @{ Names = @('--metric', '-m'); Value = '@column'; Summary = 'these metrics, comma-separated or repeated' }
                @{ Names = @('--start'); Value = '-'; Summary = 'the first day, YYYY-MM-DD' }
                @{ Names = @('--partition'); Value = '=month day'; Summary = 'what one file contains (default month)' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated (default: all)' }
                @{ Names = @('--destination'); Value = 'f'; Summary = 'a folder (default lake), duckdb:FILE, or a URL' }
            )
            Arguments = @('f')
        }
        'bda sync plan' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--lookback'); Value = '-'; Summary = 'request the last days again: 7d, or auto (default: the sync file, or 7d)' }
                @{ Names = @('--refetch'); Value = '-'; Summary = 'request these days again: 2026-03, 2026-03-14, ''last month''' }
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--units'); Value = '!'; Summary = 'print one unit of work per line, for run --units on other machines' }
            )
            Arguments = @('f')
        }
        'bda sync run' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--lookback'); Value = '-'; Summary = 'request the last days again: 7d, or auto (default: the sync file, or 7d)' }
                @{ Names = @('--refetch'); Value = '-'; Summary = 'request these days again: 2026-03, 2026-03-14, ''last month''' }
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--units'); Value = 'f'; Summary = 'run the units of this file, or of stdin (-), in place of a sync file' }
                @{ Names = @('--shard'); Value = '-'; Summary = 'run only this share of the units, such as 3/16; the first is 1/16' }
                @{ Names = @('--shard-env'); Value = '-'; Summary = 'take the share from a scheduler: JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX or CLOUD_RUN_TASK_INDEX' }
                @{ Names = @('--shards'); Value = '-'; Summary = 'how many shares there are, for --shard-env JOB_COMPLETION_INDEX' }
                @{ Names = @('--account-rate'); Value = '-'; Summary = 'maximum requests of all shares together, such as 10/s or 600/m; each takes its part' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum requests in flight (default: adapts to the server, up to 64)' }
            )
            Arguments = @('f')
        }
        'bda sync sweep' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum requests in flight (default: adapts to the server, up to 64)' }
            )
            Arguments = @('f')
        }
        'bda sync verify' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
            )
            Arguments = @('f')
        }
        'bda sync status' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
                @{ Names = @('--metrics'); Value = 'f'; Summary = 'write metrics to this file in the text format of Prometheus' }
            )
            Arguments = @('f')
        }
        'bda sync history' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--as-of'); Value = '-'; Summary = 'list the files with the rows that the tables had on this day' }
                @{ Names = @('--table'); Value = '-'; Summary = 'with --as-of, only these tables, comma-separated or repeated' }
            )
            Arguments = @('f')
        }
        'bda sync ddl' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--for'); Value = '=duckdb trino spark bigquery clickhouse postgres'; Summary = 'the engine' }
                @{ Names = @('--location'); Value = '-'; Summary = 'where the engine finds the files (default: the destination)' }
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
            )
            Arguments = @('f')
        }
        'bda sync rebalance' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--dry-run'); Value = '!'; Summary = 'show what would be moved, and change nothing' }
            )
            Arguments = @('f')
        }
        'bda sync submit' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
                @{ Names = @('--lookback'); Value = '-'; Summary = 'request the last days again: 7d, or auto (default: the sync file, or 7d)' }
                @{ Names = @('--refetch'); Value = '-'; Summary = 'request these days again: 2026-03, 2026-03-14, ''last month''' }
                @{ Names = @('--table'); Value = '-'; Summary = 'only these tables, comma-separated or repeated' }
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'only these sites, comma-separated or repeated' }
                @{ Names = @('--account-rate'); Value = '-'; Summary = 'maximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h' }
                @{ Names = @('--account-concurrency'); Value = '-'; Summary = 'maximum units in flight of all workers of the account together' }
                @{ Names = @('--tries'); Value = '-'; Summary = 'how often a unit is tried before it is set aside' }
            )
            Arguments = @('f')
        }
        'bda sync worker' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
                @{ Names = @('--concurrency'); Value = '-'; Summary = 'maximum units in flight of this worker' }
                @{ Names = @('--account-rate'); Value = '-'; Summary = 'maximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h' }
                @{ Names = @('--account-concurrency'); Value = '-'; Summary = 'maximum units in flight of all workers of the account together' }
                @{ Names = @('--until-empty'); Value = '!'; Summary = 'end when the queue is empty; exit code 7 if units are set aside, or the queue lost them' }
                @{ Names = @('--grace'); Value = '-'; Summary = 'time for the units in hand after SIGTERM, before they are returned' }
                @{ Names = @('--lost-after'); Value = '-'; Summary = 'time without a sign of life after which another worker takes a unit over' }
                @{ Names = @('--metrics'); Value = 'f'; Summary = 'write metrics to this file in the text format of Prometheus' }
                @{ Names = @('--log'); Value = '=text json'; Summary = 'format of the log on stderr: text, or one JSON object a line' }
            )
            Arguments = @('+f')
        }
        'bda sync drain' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
            )
            Arguments = @('f')
        }
        'bda sync retry' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
            )
            Arguments = @()
        }
        'bda sync cancel' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--engine'); Value = '-'; Summary = 'queue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)' }
            )
            Arguments = @()
        }
        'bda sql' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--sync'); Value = '?f'; Summary = 'query the tables of a sync file (default gatectl.sync.yaml)' }
                @{ Names = @('--file'); Value = 'f'; Summary = 'read the SQL from a file, or - for stdin' }
                @{ Names = @('--all'); Value = '!'; Summary = 'all rows, in table, md and html too' }
                @{ Names = @('--out'); Value = 'f'; Summary = '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx' }
                @{ Names = @('--chart'); Value = '?f'; Summary = 'draw a chart, or write it: .svg, .png, .html' }
                @{ Names = @('--title'); Value = '-'; Summary = 'title of the chart' }
                @{ Names = @('--ascii'); Value = '!'; Summary = 'draw with ASCII characters only' }
            )
            Arguments = @('+f')
        }
        'bda migrate-query' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--report'); Value = '@report'; Summary = 'predefined report that the request runs' }
                @{ Names = @('--custom-report'); Value = 'f'; Summary = 'custom report that it runs, by id, title or file' }
                @{ Names = @('--url'); Value = '-'; Summary = 'URL of the request; its key is discarded' }
                @{ Names = @('--from-curl'); Value = '!'; Summary = 'read a curl command; its key is discarded' }
                @{ Names = @('--set'); Value = '-'; Summary = 'set a shell variable of the curl command; repeatable' }
                @{ Names = @('--segment'); Value = '@segment'; Summary = 'segment to use instead of the report''s; repeatable' }
                @{ Names = @('--from'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'first day: 2026-10-05, 2026-10, yesterday, ''1 Nov'', -7d' }
                @{ Names = @('--to'); Value = '=today yesterday -7d -4w -3m -1y'; Summary = 'last day, in the same form (default: yesterday)' }
                @{ Names = @('--last'); Value = '=7d 4w 3m 1y'; Summary = 'days up to yesterday: 7d, 4w, 3m, 1y' }
                @{ Names = @('--this'); Value = '=week month quarter year'; Summary = 'complete days of this week, month, quarter, year' }
                @{ Names = @('--previous'); Value = '=week month quarter year'; Summary = 'the week, month, quarter or year before this one' }
                @{ Names = @('--month'); Value = '-'; Summary = 'a month: 2026-10, Oct, ''last month''' }
                @{ Names = @('--period'); Value = '-'; Summary = 'days in words: 2026-Q3, ''this week'', ''last 7 days''' }
                @{ Names = @('--include-today'); Value = '!'; Summary = 'include today, which has not ended yet' }
                @{ Names = @('--reports'); Value = 'f'; Summary = 'report definitions, as the gateway lists them' }
                @{ Names = @('--segments'); Value = 'f'; Summary = 'output of gatectl bda segment list --json' }
                @{ Names = @('--multifilters'); Value = 'f'; Summary = 'output of gatectl bda multifilter list --json' }
                @{ Names = @('--filters'); Value = 'f'; Summary = 'output of gatectl bda filter list --json' }
                @{ Names = @('--columns'); Value = 'f'; Summary = 'output of gatectl bda columns --json' }
                @{ Names = @('--offline'); Value = '!'; Summary = 'send nothing; use definitions from files only' }
                @{ Names = @('--account'); Value = '!'; Summary = 'assess every custom report and segment' }
                @{ Names = @('--out-dir'); Value = 'f'; Summary = 'write each query to a file in this folder' }
                @{ Names = @('--data-set'); Value = '@data-set'; Summary = 'data set of the v2 query (default pageview)' }
                @{ Names = @('--as'); Value = '=json curl gatectl'; Summary = 'what to print: json (default), curl or gatectl' }
                @{ Names = @('--label'); Value = '-'; Summary = 'select one of several queries by its label' }
                @{ Names = @('--run'); Value = '!'; Summary = 'run the v2 query instead of printing it' }
                @{ Names = @('--verify'); Value = '!'; Summary = 'run both and exit 0 only if the rows agree' }
                @{ Names = @('--out'); Value = 'f'; Summary = 'with --run: write the rows to a file' }
                @{ Names = @('--lossy'); Value = '!'; Summary = 'omit what v2 cannot express instead of failing' }
                @{ Names = @('--strict'); Value = '!'; Summary = 'print nothing and exit 7 when anything is lost' }
                @{ Names = @('--notes'); Value = 'f'; Summary = 'write what changes and what is lost as JSON' }
            )
            Arguments = @('f')
        }
        'login' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'the default domain' }
                @{ Names = @('--brand'); Value = '-'; Summary = 'the service''s brand word in header names and platform values (default service)' }
                @{ Names = @('--key-in'); Value = '=header query'; Summary = 'where Subscriptions and CDN calls carry the key (default header)' }
                @{ Names = @('--ca-file'); Value = 'f'; Summary = 'PEM file of a further certificate authority to trust' }
                @{ Names = @('--api-key-stdin'); Value = '!'; Summary = 'read the API key from stdin and store it in the profiles file (mode 0600)' }
                @{ Names = @('--api-key-file'); Value = 'f'; Summary = 'read the API key from the first line of this file each time' }
                @{ Names = @('--key-command'); Value = '-'; Summary = 'get the API key from the output of this command each time (no shell)' }
                @{ Names = @('--keyring'); Value = '!'; Summary = 'store the API key in the operating system''s keyring (prompted for, or read from stdin)' }
                @{ Names = @('--skip-check'); Value = '!'; Summary = 'store without testing the key against the gateway' }
            )
            Arguments = @('@profile')
        }
        'profile' = @{
            Commands = [ordered]@{
                'add' = 'add or update a connection profile'
                'list' = 'list the stored profiles'
                'show' = 'show every setting and where it comes from'
                'use' = 'set the profile in use'
                'set' = 'change one setting of a profile'
                'unset' = 'reset one setting of a profile to its default'
                'set-key' = 'replace the API key of a profile'
                'remove' = 'remove a profile and its stored key'
                'path' = 'print the path of the profiles file'
            }
            Flags = @()
            Arguments = @()
        }
        'profile add' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'the default domain' }
                @{ Names = @('--brand'); Value = '-'; Summary = 'the service''s brand word in header names and platform values (default service)' }
                @{ Names = @('--key-in'); Value = '=header query'; Summary = 'where Subscriptions and CDN calls carry the key (default header)' }
                @{ Names = @('--ca-file'); Value = 'f'; Summary = 'PEM file of a further certificate authority to trust' }
                @{ Names = @('--time-zone'); Value = '@time-zone'; Summary = 'IANA time zone in which days begin and times are shown' }
                @{ Names = @('--protected'); Value = '!'; Summary = 'require --confirm for a purge of a whole domain' }
                @{ Names = @('--prefix-subscriptions'); Value = '-'; Summary = 'path of the Subscriptions API below the base URL' }
                @{ Names = @('--prefix-cdn'); Value = '-'; Summary = 'path of the CDN API below the base URL' }
                @{ Names = @('--prefix-bda-v1'); Value = '-'; Summary = 'path of the analytics API v1 below the base URL' }
                @{ Names = @('--prefix-bda-v2'); Value = '-'; Summary = 'path of the analytics API v2 below the base URL' }
                @{ Names = @('--api-key-stdin'); Value = '!'; Summary = 'read the API key from stdin and store it in the profiles file (mode 0600)' }
                @{ Names = @('--api-key-file'); Value = 'f'; Summary = 'read the API key from the first line of this file each time' }
                @{ Names = @('--key-command'); Value = '-'; Summary = 'get the API key from the output of this command each time (no shell)' }
                @{ Names = @('--keyring'); Value = '!'; Summary = 'store the API key in the operating system''s keyring (prompted for, or read from stdin)' }
                @{ Names = @('--replace'); Value = '!'; Summary = 'drop all settings and the key of an existing profile first' }
            )
            Arguments = @('@profile')
        }
        'profile list' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--columns'); Value = '-'; Summary = 'print these columns in this order, separated by commas' }
            )
            Arguments = @()
        }
        'profile show' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('@profile')
        }
        'profile use' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('@profile')
        }
        'profile set' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--api-key-stdin'); Value = '!'; Summary = 'read the API key from stdin and store it in the profiles file (mode 0600)' }
                @{ Names = @('--api-key-file'); Value = 'f'; Summary = 'read the API key from the first line of this file each time' }
                @{ Names = @('--key-command'); Value = '-'; Summary = 'get the API key from the output of this command each time (no shell)' }
                @{ Names = @('--keyring'); Value = '!'; Summary = 'store the API key in the operating system''s keyring (prompted for, or read from stdin)' }
                @{ Names = @('--move-key-from'); Value = '-'; Summary = 'send the key that was stored for this URL to the new base-url' }
            )
            Arguments = @('@setting', '@setting-value')
        }
        'profile unset' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('@setting')
        }
        'profile set-key' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--api-key-stdin'); Value = '!'; Summary = 'read the API key from stdin and store it in the profiles file (mode 0600)' }
                @{ Names = @('--api-key-file'); Value = 'f'; Summary = 'read the API key from the first line of this file each time' }
                @{ Names = @('--key-command'); Value = '-'; Summary = 'get the API key from the output of this command each time (no shell)' }
                @{ Names = @('--keyring'); Value = '!'; Summary = 'store the API key in the operating system''s keyring (prompted for, or read from stdin)' }
            )
            Arguments = @('@profile')
        }
        'profile remove' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--yes'); Value = '!'; Summary = 'remove the stored key without confirmation' }
            )
            Arguments = @('@profile')
        }
        'profile path' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'alias' = @{
            Commands = [ordered]@{
                'set' = 'give a command line a short name'
                'list' = 'list the aliases'
                'delete' = 'forget an alias'
            }
            Flags = @()
            Arguments = @()
        }
        'alias set' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--replace'); Value = '!'; Summary = 'overwrite an alias of the same name' }
            )
            Arguments = @('@alias', '-')
        }
        'alias list' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'alias delete' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('@alias')
        }
        'doctor' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--domain'); Value = '@domain'; Summary = 'the domain to query Subscriptions for (default: the profile''s)' }
                @{ Names = @('--api'); Value = '+=subscriptions cdn bda-v1 bda-v2'; Summary = 'check only these APIs: subscriptions, cdn, bda-v1, bda-v2' }
                @{ Names = @('--sync'); Value = 'f'; Summary = 'check the destination of this sync file (default: gatectl.sync.yaml here)' }
                @{ Names = @('--bundle'); Value = 'f'; Summary = 'also write a support bundle, with all secrets removed' }
            )
            Arguments = @()
        }
        'unlock' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--force'); Value = '!'; Summary = 'release locks of running processes, too' }
            )
            Arguments = @('+f')
        }
        'api' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--raw-field', '-f'); Value = '-'; Summary = 'add a field whose value is text (repeatable)' }
                @{ Names = @('--field', '-F'); Value = '-'; Summary = 'add a typed field: true, false, null, a number, @FILE for the content of a file, or @- for stdin (repeatable)' }
                @{ Names = @('--header', '-H'); Value = '-'; Summary = 'add a header, such as ''X-Service-Reader-Email: reader@example.com''' }
                @{ Names = @('--input'); Value = 'f'; Summary = 'send this JSON as the body (- for stdin)' }
                @{ Names = @('--include', '-i'); Value = '!'; Summary = 'print status and headers before the body' }
                @{ Names = @('--paginate'); Value = '!'; Summary = 'fetch all pages of an analytics v2 query and print one document' }
            )
            Arguments = @('=GET POST PUT PATCH DELETE HEAD', '-')
        }
        'sandbox' = @{
            Commands = [ordered]@{
                'serve' = 'run the embedded gateway until Ctrl-C'
            }
            Flags = @()
            Arguments = @()
        }
        'sandbox serve' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--port'); Value = '-'; Summary = 'the port (0 takes a free one)' }
                @{ Names = @('--host'); Value = '-'; Summary = 'the address to listen on (default 127.0.0.1); 0.0.0.0 for containers, with a generated key' }
                @{ Names = @('--cors'); Value = '+-'; Summary = 'let web pages of these origins read responses (CORS)' }
                @{ Names = @('--purge-to'); Value = '-'; Summary = 'send PURGE and BAN for what the CDN clears to this cache, such as Varnish before /__origin/' }
                @{ Names = @('--fixtures'); Value = 'f'; Summary = 'your own domains, products, readers and purchases, as JSON' }
                @{ Names = @('--seed'); Value = '-'; Summary = 'the seed of the made-up data; the same seed gives the same data (default 1)' }
                @{ Names = @('--restate'); Value = '!'; Summary = 'change the figures of past days as the clock advances: most settle within a week, a few change after months' }
                @{ Names = @('--clock'); Value = '-'; Summary = 'start the server''s clock at this RFC 3339 time instead of now' }
                @{ Names = @('--brand'); Value = '-'; Summary = 'the service''s brand word in header names and platform values (default that of the profile, or service)' }
                @{ Names = @('--record-from'); Value = '@profile'; Summary = 'send requests to the gateway of this profile and record them' }
                @{ Names = @('--record-to'); Value = 'f'; Summary = 'the folder of the recording, which must be empty or new' }
                @{ Names = @('--replay'); Value = 'f'; Summary = 'serve the responses of a recording' }
                @{ Names = @('--fault'); Value = '+-'; Summary = 'misbehave: status=503,path=/access,count=2 (path= is how it begins or ends) · delay=2s · reset · truncate=100 · …' }
            )
            Arguments = @()
        }
        'mcp' = @{
            Commands = [ordered]@{
                'install' = 'add gatectl to the configuration of an AI client'
            }
            Flags = @(
                @{ Names = @('--allow'); Value = '=cdn-purge'; Summary = 'allow a write: cdn-purge (repeatable)' }
                @{ Names = @('--unmask'); Value = '!'; Summary = 'show e-mail addresses of readers to the assistant' }
                @{ Names = @('--max-targets'); Value = '-'; Summary = 'maximum URLs or keys in one purge plan' }
                @{ Names = @('--calls-per-minute'); Value = '-'; Summary = 'maximum calls per minute' }
                @{ Names = @('--http'); Value = '-'; Summary = 'serve streamable HTTP on this loopback port instead (0: any free port)' }
            )
            Arguments = @()
        }
        'mcp install' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--allow'); Value = '=cdn-purge'; Summary = 'allow a write: cdn-purge (repeatable)' }
                @{ Names = @('--yes', '-y'); Value = '!'; Summary = 'write without confirmation' }
                @{ Names = @('--dry-run'); Value = '!'; Summary = 'show the change without writing' }
            )
            Arguments = @('=claude-desktop claude-code cursor vscode windsurf')
        }
        'completion' = @{
            Commands = [ordered]@{
                'install' = 'install completions for your shell'
                'uninstall' = 'remove installed completions'
                'bash' = 'print the completion script for bash'
                'zsh' = 'print the completion script for zsh'
                'fish' = 'print the completion script for fish'
                'powershell' = 'print the completion script for PowerShell'
            }
            Flags = @()
            Arguments = @()
        }
        'completion install' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--shell'); Value = '=bash zsh fish powershell'; Summary = 'the shell (default: that of $SHELL)' }
            )
            Arguments = @()
        }
        'completion uninstall' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--shell'); Value = '=bash zsh fish powershell'; Summary = 'the shell (default: that of $SHELL)' }
            )
            Arguments = @()
        }
        'completion bash' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'completion zsh' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'completion fish' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'completion powershell' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @()
        }
        'schema' = @{
            Commands = [ordered]@{}
            Flags = @(
                @{ Names = @('--openapi'); Value = '!'; Summary = 'print an OpenAPI 3.1 document of the API; x-assumed marks undocumented behaviour' }
                @{ Names = @('--sync'); Value = '!'; Summary = 'print a JSON Schema of gatectl.sync.yaml, for editors' }
                @{ Names = @('--report'); Value = '!'; Summary = 'print a JSON Schema of the files of bda report build, for editors' }
            )
            Arguments = @('+@command')
        }
        'help' = @{
            Commands = [ordered]@{}
            Flags = @()
            Arguments = @('+@command')
        }
    }

    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or
            ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $path = ''
    $page = $pages['']
    $flag = $null
    $position = 0
    $onlyWords = $false
    for ($i = 1; $i -lt $words.Count; $i++) {
        $word = $words[$i]
        if ($flag -and -not ($flag.Value -match '^[+?]' -and $word.StartsWith('-'))) {
            if (-not $flag.Value.StartsWith('+')) { $flag = $null }
            continue
        }
        $flag = $null
        if ($onlyWords) { $position++ }
        elseif ($word -eq '--') { $onlyWords = $true }
        elseif ($word -like '--*=*') { }
        elseif ($word -like '-?*') {
            $flag = @($page.Flags) + $everywhere |
                Where-Object { $_.Names -ccontains $word -and $_.Value -ne '!' } | Select-Object -First 1
        }
        elseif ($page.Commands.Contains($word)) {
            $path = "$path $word".Trim()
            $page = $pages[$path]
        }
        else { $position++ }
    }

    $before = ''
    $current = $wordToComplete.Trim('''"')
    $offer = $null
    if ($flag -and -not ($flag.Value -match '^[+?]' -and $current.StartsWith('-'))) { $offer = $flag.Value }
    elseif (-not $onlyWords -and $current -match '^(--[a-z0-9-]+=)(.*)$') {
        $before = $Matches[1]
        $current = $Matches[2]
        $name = $before.TrimEnd('=')
        $flag = @($page.Flags) + $everywhere | Where-Object { $_.Names -ccontains $name } | Select-Object -First 1
        if ($flag) { $offer = $flag.Value }
    }
    elseif (-not $onlyWords -and $current.StartsWith('-')) {
        @($page.Flags) + $everywhere | ForEach-Object {
            $summary = $_.Summary
            $_.Names | Where-Object { $_.StartsWith($current, [StringComparison]::Ordinal) } | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterName', $summary)
            }
        }
        return
    }
    elseif ($page.Commands.Count -gt 0 -and $position -eq 0) {
        $page.Commands.GetEnumerator() | Where-Object { $_.Key.StartsWith($current) } | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)
        }
        if ($path -eq '') { $offer = '@alias' }
        elseif ($page.Arguments.Count -gt 0) { $offer = $page.Arguments[0] }
    }
    elseif ($page.Arguments.Count -gt 0) {
        $last = $page.Arguments.Count - 1
        if ($position -le $last) { $offer = $page.Arguments[$position] }
        elseif ($page.Arguments[$last].StartsWith('+')) { $offer = $page.Arguments[$last] }
    }
    if (-not $offer) { return }

    $offer = $offer.TrimStart('+', '?')
    if ($offer -eq 'f') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new(
                $before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
        return
    }
    $lines = @()
    if ($offer.StartsWith('=')) { $lines = $offer.Substring(1).Split(' ') }
    elseif ($offer.StartsWith('@')) {
        $rest = @($words | Select-Object -Skip 1)
        # An empty argument gets lost on the way to a program in older PowerShells, so the word travels with a mark.
        $lines = @(& $words[0] __complete ($offer.Substring(1)) ".$current" @rest 2>$null)
    }
    foreach ($line in $lines) {
        $value, $summary = $line.Split("`t", 2)
        if (-not $value.StartsWith($current)) { continue }
        $text = $before + $value
        if ($text -match '[\s''"<>|&;(){}$,#@]' ) { $text = "'" + $text.Replace("'", "''") + "'" }
        if (-not $summary) { $summary = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
