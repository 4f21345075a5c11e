# Completion of gatectl for bash. `gatectl completion bash` prints it; it is made from the commands, so don't edit it.

# What the command with these words takes. A line of commands and flags is WORD<TAB>…<TAB>SUMMARY. What a flag's value
# is: ! none, - anything, f a file, d a folder, =a b c one of some words, @kind a value that gatectl knows on this
# machine; before it * for a flag that may come again, + for one that takes all words up to the next flag, ? for one that may
# stand without its value.
__gatectl_load() {
  commands='' flags='' positions=()
  case $1 in
    '')
      commands=$'access\tcheck reader access to a product or an item\n'\
$'products\tlist the product handles a reader holds\n'\
$'purchases\tlist a reader\'s purchases and entitlements\n'\
$'reader\tshow a reader\'s access, products and purchases\n'\
$'reply\tmanage the reply templates of gatectl reader --reply\n'\
$'token\tmint an identity token for a signed-in reader\n'\
$'cdn\tpurge the CDN cache\n'\
$'bda\tquery and export analytics\n'\
$'login\tconnect to a gateway: test and store its address and key\n'\
$'profile\tmanage connection profiles\n'\
$'alias\tmanage short names for command lines\n'\
$'doctor\tdiagnose configuration, network and API problems\n'\
$'unlock\tremove locks left by processes that have ended\n'\
$'api\tsend a raw request with authentication\n'\
$'sandbox\trun the embedded gateway\n'\
$'mcp\tserve tools to an AI assistant (Model Context Protocol)\n'\
$'completion\tinstall or print shell completions\n'\
$'schema\tprint the commands and their options as JSON\n'\
$'help\tshow help for a command, or a topic: exit-codes, errors, environment, profiles, filters, dates, output\n'
      flags=$'-V,--version\t!\tprint the version\n'
      ;;
    'access')
      commands=$'audit\tcompare a billing list with reader access\n'\
$'wait\twait until a reader\'s access changes\n'
      flags=$'--product\t-\tthe product handle\n'\
$'--item\t-\tthe key of a one-time item; for a single article, the URL of its page\n'\
$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--reader-token\t-\tthe reader\'s session token, as getSessionToken() returned it\n'\
$'--reader-token-stdin\t!\tread the session token from stdin, so that no process list shows it\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'\
$'--mask\t!\thide e-mail addresses in the output\n'\
$'--from-file\tf\tcheck all readers of a file (- for stdin): one address per line, CSV or JSON\n'\
$'--email-column\t-\tthe column with the addresses (default: detected)\n'\
$'--encoding\t=utf-8 utf-16le utf-16be latin1\tencoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved\n'\
$'--skip-invalid\t!\tskip invalid lines of the list instead of stopping\n'\
$'--failed-file\tf\twrite the readers of a list that could not be checked, in the format --from-file reads\n'\
$'--concurrency\t-\tmaximum requests in flight (default: adapts to the server, up to 64)\n'\
$'--columns\t-\tprint these columns in this order, separated by commas\n'\
$'--exit-code\t!\texit 3 when the decision is not allowed\n'
      positions=($'-')
      ;;
    'access audit')
      flags=$'--from-file\tf\tlist of readers (- for stdin): CSV, JSON, or one address per line\n'\
$'--expect-column\t-\tcolumn with the payment status: a plan, a state, yes or no (default: all readers have paid)\n'\
$'--paid\t*-\tvalue of that column that means paid (repeatable)\n'\
$'--unpaid\t*-\tvalue of that column that means not paid (repeatable)\n'\
$'--product-column\t-\tcolumn with the product handles; --product applies to lines without one\n'\
$'--email-column\t-\tthe column with the addresses (default: detected)\n'\
$'--encoding\t=utf-8 utf-16le utf-16be latin1\tencoding of a list without a byte order mark (default utf-8); latin1 for CSV that Excel saved\n'\
$'--skip-invalid\t!\tskip invalid lines of the list instead of stopping\n'\
$'--product\t-\tthe product handle\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'\
$'--concurrency\t-\tmaximum requests in flight (default: adapts to the server, up to 64)\n'\
$'--resume\t!\tresume an interrupted audit; stored results are not requested again\n'\
$'--against\t-\tcompare with an earlier audit: last, or a day such as 2026-03-14\n'\
$'--max-drift\t-\texit 7 if more readers than this do not match the list: 1%, 0.5%, or a number\n'\
$'--on-drift\t-\trun this shell command if they do not match (without --max-drift: on any mismatch), with the totals as JSON on stdin\n'\
$'--out\tf\twrite every finding to this file: .csv, .tsv, .ndjson, .json, .xlsx, .md or .html\n'\
$'--mask\t!\thide e-mail addresses in the output\n'
      ;;
    'access wait')
      flags=$'--product\t-\tthe product handle\n'\
$'--item\t-\tthe key of a one-time item; for a single article, the URL of its page\n'\
$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--reader-token\t-\tthe reader\'s session token, as getSessionToken() returned it\n'\
$'--reader-token-stdin\t!\tread the session token from stdin, so that no process list shows it\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'\
$'--mask\t!\thide e-mail addresses in the output\n'\
$'--until\t=allowed denied\tallowed (default), or denied: any other decision\n'\
$'--for\t-\tstop after this time: 90s, 15m, 1h\n'\
$'--every\t-\tpause between checks\n'
      positions=($'-')
      ;;
    'products')
      flags=$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--reader-token\t-\tthe reader\'s session token, as getSessionToken() returned it\n'\
$'--reader-token-stdin\t!\tread the session token from stdin, so that no process list shows it\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'
      positions=($'-')
      ;;
    'purchases')
      flags=$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--reader-token\t-\tthe reader\'s session token, as getSessionToken() returned it\n'\
$'--reader-token-stdin\t!\tread the session token from stdin, so that no process list shows it\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'\
$'--active\t!\tonly those that give access now\n'\
$'--columns\t-\tprint these columns in this order, separated by commas\n'
      positions=($'-')
      ;;
    'reader')
      flags=$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--reader-token\t-\tthe reader\'s session token, as getSessionToken() returned it\n'\
$'--reader-token-stdin\t!\tread the session token from stdin, so that no process list shows it\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'\
$'--product\t*-\talso check this product (repeatable)\n'\
$'--why\t!\talso show what changed since the last --why, and a reply to paste; hides the address\n'\
$'--reply\t!\tprint only the reply to paste\n'\
$'--language\t=en de es fr\tlanguage of the reply: en (default), de, es, fr, or one with custom templates\n'\
$'--mask\t!\thide e-mail addresses in the output\n'\
$'--unmask\t!\tshow e-mail addresses with --why\n'
      positions=($'-')
      ;;
    'reply')
      commands=$'list\tlist reply templates\n'\
$'show\tprint a reply template\n'\
$'edit\tchange a reply template\n'\
$'reset\trestore a built-in reply template\n'
      ;;
    'reply list')
      flags=$'--language\t=en de es fr\tonly this language\n'
      ;;
    'reply show')
      flags=$'--language\t=en de es fr\tlanguage of the reply: en (default), de, es, fr, or one with custom templates\n'
      positions=($'=allowed denied login_required expired revoked unknown_product not_started suspended pending')
      ;;
    'reply edit')
      flags=$'--language\t=en de es fr\tlanguage of the reply: en (default), de, es, fr, or one with custom templates\n'\
$'--file\tf\tread the text from this file (- for stdin) instead of an editor\n'
      positions=($'=allowed denied login_required expired revoked unknown_product not_started suspended pending')
      ;;
    'reply reset')
      flags=$'--language\t=en de es fr\tlanguage of the reply: en (default), de, es, fr, or one with custom templates\n'
      positions=($'=allowed denied login_required expired revoked unknown_product not_started suspended pending')
      ;;
    'token')
      commands=$'inspect\tshow the claims and times of a token\n'
      flags=$'--email\t-\tthe reader\'s e-mail address, instead of EMAIL\n'\
$'--domain\t@domain\tone of the account\'s domains (default: the profile\'s)\n'
      positions=($'-')
      ;;
    'token inspect')
      flags=$'--key\tf\tverify with a PEM public key, a JWK, a set of JWKs or a shared secret\n'
      ;;
    'cdn')
      commands=$'ping\tcheck whether the CDN API responds\n'\
$'purge\tpurge URLs, surrogate keys or a whole domain from the cache\n'\
$'history\tlist earlier purges of this gateway\n'
      ;;
    'cdn ping')
      ;;
    'cdn purge')
      flags=$'--file\tf\tclear the URLs of this file, the same as @FILE (- for stdin)\n'\
$'--sitemap\tf\tclear every URL of a sitemap; follows indexes and .gz\n'\
$'--changed-since\t-\twith --sitemap: only pages that changed since the last confirmed purge, or a day\n'\
$'--prefix\t-\tclear all known URLs that start with this one\n'\
$'--known-from\t-\twith --prefix: sitemap, sitemap:URL, analytics, analytics:30d (default: sitemap,analytics)\n'\
$'--key\t*+-\tclear these surrogate keys (repeatable, or separated by commas)\n'\
$'--key-file\tf\tclear the surrogate keys of this file: lines, CSV or JSON (- for stdin)\n'\
$'--keys-from-page\t-\tclear the surrogate keys in this page\'s Surrogate-Key header\n'\
$'--all\t!\tpurge everything on the domain\n'\
$'--changed\td\tclear what changed in a built site since the last confirmed purge\n'\
$'--git\t-\tclear what changed up to this deployed revision; BASE..REF names the base\n'\
$'--resume\t!\tresume the last interrupted purge\n'\
$'--no-resume\t!\tpurge all URLs, even if a purge of the same list was interrupted\n'\
$'--map\tf\tYAML with rules from files to URLs and surrogate keys\n'\
$'--explain\tf\tprint what a changed file leads to, and send nothing\n'\
$'--deploy\t-\tnumber of this deploy; a missing one widens the purge\n'\
$'--or-all\t!\tpurge the whole domain where the changes are not known; requires --yes\n'\
$'--undo-plan\t-\tprint what repeating an earlier purge would clear, and send nothing\n'\
$'--impact\t!\tprint page views, visits and revenue of the pages over 7 days before the purge\n'\
$'--max-impact\t-\tsend nothing if the pages have more of the page views, such as 5%\n'\
$'--stage\t-\tpurge in stages, such as 2%,20%,100%; stop at failed or stale pages\n'\
$'--pause\t-\twith --stage: wait between stages, such as 60s\n'\
$'--warm\t-\tfetch the most viewed of the purged pages again, such as top:500\n'\
$'--warm-rate\t-\twith --warm: maximum requests per second (default 10/s)\n'\
$'--domain\t@domain\tthe domain of keys and of --all, and the only one URLs may be on (default: the profile\'s)\n'\
$'--any-domain\t!\tallow URLs of any domain\n'\
$'--skip-invalid\t!\tskip invalid URLs instead of rejecting the list\n'\
$'--concurrency\t-\tmaximum requests in flight (default: adapts to the server, up to 64)\n'\
$'--no-split\t!\tdo not split a rejected batch to find the invalid URL\n'\
$'--failed-file\tf\twrite failed targets to this file, in the format --file reads\n'\
$'--summary\tf\tappend the outcome as Markdown, such as to $GITHUB_STEP_SUMMARY\n'\
$'--dry-run\t!\tprint the requests without sending them\n'\
$'--repeat-after\t-\tpurge again after this many seconds, to catch pages cached in between\n'\
$'--verify\t!\tfetch the first 50 URLs before and after, and report which are fresh\n'\
$'--receipt\tf\twith --verify: write the result as JSON\n'\
$'--yes\t!\twith --all and --or-all: skip the confirmation\n'\
$'--confirm\t-\twith --all: confirm the domain, as protected profiles require\n'
      positions=($'+-')
      ;;
    'cdn history')
      flags=$'--domain\t@domain\tlist only purges of this domain\n'\
$'--limit\t-\tmaximum number of purges\n'
      ;;
    'bda')
      commands=$'domains\tlist the sites of the account\n'\
$'columns\tlist the dimensions and metrics\n'\
$'data-sets\tlist the data sets\n'\
$'date-range\tshow the first and the last day with data\n'\
$'query\tquery analytics, or export all rows\n'\
$'why\texplain what changed a metric\n'\
$'watch\tdetect unusual drops and rises of metrics\n'\
$'report\trun and create saved reports, and build documents\n'\
$'segment\tlist and create segments of report rows\n'\
$'filter\tlist plain filters for segments\n'\
$'multifilter\tlist multifilters for segments, and their options\n'\
$'sync\tcopy analytics of every site to Parquet files or a database\n'\
$'sql\tquery exported files and synced tables with SQL\n'\
$'migrate-query\tconvert a v1 request to the equivalent v2 query\n'
      ;;
    'bda domains')
      flags=$'--api\t=v1 v2\tAPI version: v2 (default), or v1 with saved reports\n'\
$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda columns')
      flags=$'--api\t=v1 v2\tAPI version: v2 (default), or v1 with saved reports\n'\
$'--search\t-\tonly columns with this word in their name, description or unit\n'\
$'--data-set\t@data-set\tonly columns of this data set\n'\
$'--columns\t-\tprint these columns in this order, separated by commas\n'\
$'--refresh\t!\tupdate the cached columns; fail when they cannot be cached\n'
      ;;
    'bda data-sets')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda date-range')
      ;;
    'bda query')
      commands=$'save\tsave a query under a name\n'\
$'run\trun a saved query\n'\
$'list\tlist the saved queries\n'\
$'show\tprint a saved query\n'\
$'delete\tdelete a saved query\n'
      flags=$'--data-set\t@data-set\tdata set to query (see gatectl bda data-sets)\n'\
$'-d,--dimension\t*@column\tcolumns to group by, comma-separated or repeated\n'\
$'-m,--metric\t*@column\tcolumns to measure, comma-separated or repeated\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\' or \'country=DE,AT\'\n'\
$'--any-of\t*+@filter\tconditions of which at least one must match\n'\
$'--filter-json\t*-\ta filter as API JSON, or a list of filters\n'\
$'--sort\t*@sort\tsort by a column, ascending unless :desc\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--limit\t-\tmaximum rows (default: 100 in table, md and html)\n'\
$'--offset\t-\trows to skip at the beginning\n'\
$'--all\t!\tall rows, in table, md and html too\n'\
$'--page-size\t-\trows per request (default 100000)\n'\
$'--concurrency\t-\tmaximum pages in flight (default: adapts, up to 4)\n'\
$'--units\t!\tunits in the headings of table, md and html\n'\
$'--strict\t!\texit 7 if the result is incomplete\n'\
$'--out\tf\t.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://\n'\
$'--resume\t!\trequire an interrupted export to --out to resume\n'\
$'--no-resume\t!\tdiscard the rows of an interrupted export to --out\n'\
$'--manifest\t!\twrite query, days, rows, hash to FILE.meta.json\n'\
$'--chart\t?f\tdraw a chart, or write it: .svg, .png, .html\n'\
$'--title\t-\ttitle of the chart\n'\
$'--ascii\t!\tdraw with ASCII characters only\n'\
$'--compare\t=previous year\tcompare with: previous (period), year (earlier)\n'\
$'--match-weekdays\t!\twith --compare: shift by complete weeks\n'\
$'--complete-periods\t!\tomit partial weeks and months\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--case-normalization\t-\ttreatment of letter case in page addresses\n'\
$'--print\t!\tprint the query as JSON and send nothing\n'
      positions=($'f')
      ;;
    'bda query save')
      flags=$'--data-set\t@data-set\tdata set to query (see gatectl bda data-sets)\n'\
$'-d,--dimension\t*@column\tcolumns to group by, comma-separated or repeated\n'\
$'-m,--metric\t*@column\tcolumns to measure, comma-separated or repeated\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\' or \'country=DE,AT\'\n'\
$'--any-of\t*+@filter\tconditions of which at least one must match\n'\
$'--filter-json\t*-\ta filter as API JSON, or a list of filters\n'\
$'--sort\t*@sort\tsort by a column, ascending unless :desc\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--limit\t-\tmaximum rows (default: 100 in table, md and html)\n'\
$'--offset\t-\trows to skip at the beginning\n'\
$'--compare\t=previous year\tcompare with: previous (period), year (earlier)\n'\
$'--match-weekdays\t!\twith --compare: shift by complete weeks\n'\
$'--complete-periods\t!\tomit partial weeks and months\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--case-normalization\t-\ttreatment of letter case in page addresses\n'\
$'--project\t!\tsave it in the project, for everyone who works on it\n'\
$'--replace\t!\toverwrite a saved query of the same name\n'
      positions=($'@query' $'f')
      ;;
    'bda query run')
      flags=$'--data-set\t@data-set\tdata set to query (see gatectl bda data-sets)\n'\
$'-d,--dimension\t*@column\tcolumns to group by, comma-separated or repeated\n'\
$'-m,--metric\t*@column\tcolumns to measure, comma-separated or repeated\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\' or \'country=DE,AT\'\n'\
$'--any-of\t*+@filter\tconditions of which at least one must match\n'\
$'--filter-json\t*-\ta filter as API JSON, or a list of filters\n'\
$'--sort\t*@sort\tsort by a column, ascending unless :desc\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--limit\t-\tmaximum rows (default: 100 in table, md and html)\n'\
$'--offset\t-\trows to skip at the beginning\n'\
$'--all\t!\tall rows, in table, md and html too\n'\
$'--page-size\t-\trows per request (default 100000)\n'\
$'--concurrency\t-\tmaximum pages in flight (default: adapts, up to 4)\n'\
$'--units\t!\tunits in the headings of table, md and html\n'\
$'--strict\t!\texit 7 if the result is incomplete\n'\
$'--out\tf\t.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://\n'\
$'--resume\t!\trequire an interrupted export to --out to resume\n'\
$'--no-resume\t!\tdiscard the rows of an interrupted export to --out\n'\
$'--manifest\t!\twrite query, days, rows, hash to FILE.meta.json\n'\
$'--chart\t?f\tdraw a chart, or write it: .svg, .png, .html\n'\
$'--title\t-\ttitle of the chart\n'\
$'--ascii\t!\tdraw with ASCII characters only\n'\
$'--compare\t=previous year\tcompare with: previous (period), year (earlier)\n'\
$'--match-weekdays\t!\twith --compare: shift by complete weeks\n'\
$'--complete-periods\t!\tomit partial weeks and months\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--case-normalization\t-\ttreatment of letter case in page addresses\n'\
$'--print\t!\tprint the query as JSON and send nothing\n'
      positions=($'@query')
      ;;
    'bda query list')
      ;;
    'bda query show')
      positions=($'@query')
      ;;
    'bda query delete')
      flags=$'--project\t!\tdelete the project\'s instead of your own\n'
      positions=($'@query')
      ;;
    'bda why')
      flags=$'--data-set\t@data-set\tdata set to query (see gatectl bda data-sets)\n'\
$'-m,--metric\t@column\tmetric whose change to explain\n'\
$'-d,--dimension\t*@column\tdimensions to examine (default: chosen from the listed columns)\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\' or \'country=DE,AT\'\n'\
$'--any-of\t*+@filter\tconditions of which at least one must match\n'\
$'--filter-json\t*-\ta filter as API JSON, or a list of filters\n'\
$'--compare\t=previous year\tperiod to compare with: previous (default) or year (a year earlier)\n'\
$'--match-weekdays\t!\twith --compare: shift by complete weeks\n'\
$'--depth\t-\tlevels: with 2, also explain the first value by the other dimensions\n'\
$'--top\t-\tnumber of values to list; the others are one row\n'\
$'--max-requests\t-\tmaximum requests\n'\
$'--additive\t*-\tmetrics that are sums of their parts\n'\
$'--ratio\t*-\ta metric that is a quotient: \'rpm=revenue/visits\'\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--chart\t?f\tdraw a chart, or write it: .svg, .png, .html\n'\
$'--title\t-\ttitle of the chart\n'\
$'--ascii\t!\tdraw with ASCII characters only\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--case-normalization\t-\ttreatment of letter case in page addresses\n'\
$'--strict\t!\texit 7 if the periods are not comparable\n'
      ;;
    'bda watch')
      flags=$'--data-set\t@data-set\tdata set to query (see gatectl bda data-sets)\n'\
$'-m,--metric\t*@column\tcolumns to measure, comma-separated or repeated\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\' or \'country=DE,AT\'\n'\
$'--any-of\t*+@filter\tconditions of which at least one must match\n'\
$'--filter-json\t*-\ta filter as API JSON, or a list of filters\n'\
$'--query\t@query\twatch the metrics of this saved query\n'\
$'--additive\t*-\tmetrics that are sums of their parts, for --why\n'\
$'--threshold\t-\tusual deviations from which a change is an alert\n'\
$'--min-change\t-\tsmallest change that is an alert\n'\
$'--min-volume\t-\tusual figure, or visits of a ratio, below which none is\n'\
$'--direction\t=drop rise both\tdrop (the default), rise or both\n'\
$'--holiday\t*-\tdays that are not comparable: 2026-04-06, 12-25 (every year), FROM..TO\n'\
$'--settle\t-\tdays until the figures of a day are final\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--case-normalization\t-\ttreatment of letter case in page addresses\n'\
$'--on-alert\t-\tshell command for a new alert, which gets it as JSON on stdin\n'\
$'--on-clear\t-\tshell command for an alert that is over\n'\
$'--why\t!\texplain a new alert, as gatectl bda why does\n'\
$'--exit-code\t!\texit 3 while there is an alert\n'\
$'--strict\t!\texit 7 if a metric cannot be judged for lack of data\n'\
$'--state\tf\tfile that remembers alerts (default: in the state folder)\n'\
$'--metrics-file\tf\twrite the figures for Prometheus to this file\n'
      positions=($'f')
      ;;
    'bda report')
      commands=$'list\tlist predefined and custom reports\n'\
$'show\tshow the definition of a report\n'\
$'run\trun a saved report, or query columns\n'\
$'create\tcreate a custom report from JSON\n'\
$'build\tbuild a report of several queries\n'
      ;;
    'bda report list')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda report show')
      flags=$'--id\t@custom-report\tcustom report, by its id\n'
      positions=($'@report')
      ;;
    'bda report run')
      flags=$'--id\t@custom-report\trun a custom report, by its id\n'\
$'-d,--dimension\t*@column\twithout a saved report: columns to group by\n'\
$'-m,--metric\t*@column\twithout a saved report: columns to measure\n'\
$'--request\tf\tdata request as JSON (- for stdin); flags override\n'\
$'--filter\t*@filter\tcondition, such as \'visits>=3\'\n'\
$'--segment\t*@segment\tsplit the rows by a segment; repeatable\n'\
$'--group-by\t=day week month\tgroup the rows by day, week or month\n'\
$'--sort\t@sort\tsort by a column, ascending unless :desc\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--limit\t-\tmaximum rows (default: 100 in table, md and html)\n'\
$'--offset\t-\trows to skip at the beginning\n'\
$'--all\t!\tall rows, in table, md and html too\n'\
$'--page-size\t-\trows per request (default 10000)\n'\
$'--concurrency\t-\tmaximum pages in flight (default: adapts, up to 4)\n'\
$'--units\t!\tunits in the headings of table, md and html\n'\
$'--strict\t!\texit 7 if the result is incomplete\n'\
$'--out\tf\t.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://\n'\
$'--resume\t!\trequire an interrupted export to --out to resume\n'\
$'--no-resume\t!\tdiscard the rows of an interrupted export to --out\n'\
$'--manifest\t!\twrite query, days, rows, hash to FILE.meta.json\n'\
$'--chart\t?f\tdraw a chart, or write it: .svg, .png, .html\n'\
$'--title\t-\ttitle of the chart\n'\
$'--ascii\t!\tdraw with ASCII characters only\n'\
$'--compare\t=previous year\tcompare with: previous (period), year (earlier)\n'\
$'--match-weekdays\t!\twith --compare: shift by complete weeks\n'\
$'--complete-periods\t!\tomit partial weeks and months\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--domain-id\t@domain-id\tone site, by its id (see gatectl bda domains)\n'\
$'--platform\t=service original all\tpages: service (or the brand word), original, all\n'\
$'--query-params\t=include exclude\tinclude or exclude query strings in addresses\n'\
$'--fragments\t=include exclude\tinclude or exclude fragments in addresses\n'\
$'--revenue-decimals\t-\tnumber of decimals to round revenue to\n'
      positions=($'@report')
      ;;
    'bda report create')
      positions=($'f')
      ;;
    'bda report build')
      flags=$'--out\tf\twrite a file: .html .xlsx .eml .md\n'\
$'--format\t=html xlsx eml md\tformat of the report (default: by the name of --out)\n'\
$'--set\t*-\tset a parameter of the report\n'\
$'--dry-run\t!\tcheck the file and list its queries without sending them\n'\
$'--strict\t!\texit 7 if the rows of a section are incomplete\n'
      positions=($'f')
      ;;
    'bda segment')
      commands=$'list\tlist custom and premade segments\n'\
$'create\tcreate a segment, from flags or JSON\n'
      ;;
    'bda segment list')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda segment create')
      flags=$'--name\t-\tname of the segment\n'\
$'--country\t*-\ttwo-letter codes or names, comma-separated or repeated\n'\
$'--device\t*-\tkinds of devices, such as mobile,tablet\n'\
$'--gender\t*-\tgenders\n'\
$'--site\t*-\tsites of the account\n'\
$'--multifilter\t*-\tany other multifilter: its name and its option keys\n'\
$'--filter\t*@filter\ta plain filter, such as \'pageviews>=100\'\n'
      positions=($'f')
      ;;
    'bda filter')
      commands=$'list\tlist the plain filters\n'
      ;;
    'bda filter list')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda multifilter')
      commands=$'list\tlist the multifilters\n'\
$'types\tlist the option keys of each type of multifilter\n'
      ;;
    'bda multifilter list')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda multifilter types')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'bda sync')
      commands=$'init\twrite a sync file\n'\
$'plan\tshow what a run would request, and why\n'\
$'run\tbring the tables up to date\n'\
$'sweep\tfind figures that changed late, and request them again\n'\
$'verify\tcompare the tables with the gateway, exactly\n'\
$'status\tshow what the destination holds\n'\
$'history\tlist the latest runs, or the files of an earlier day\n'\
$'ddl\tprint the SQL that lets other engines read the tables\n'\
$'rebalance\tmove sites to the shards that were added to a cluster\n'\
$'submit\tadd the units of a plan to a queue for workers\n'\
$'worker\tcarry out units of the queue until it is stopped\n'\
$'drain\twait until the workers have emptied the queue\n'\
$'retry\treturn the set-aside units to the queue\n'\
$'cancel\tremove the waiting and set-aside units of the queue\n'
      ;;
    'bda sync init')
      flags=$'--table\t-\tthe name of the table (default that of the data set)\n'\
$'--data-set\t@data-set\tthe data set (see bda data-sets)\n'\
$'-d,--dimension\t*@column\tgroup by these columns, comma-separated or repeated\n'\
$'-m,--metric\t*@column\tthese metrics, comma-separated or repeated\n'\
$'--start\t-\tthe first day, YYYY-MM-DD\n'\
$'--partition\t=month day\twhat one file contains (default month)\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated (default: all)\n'\
$'--destination\td\ta folder (default lake), duckdb:FILE, or a URL\n'
      positions=($'f')
      ;;
    'bda sync plan')
      flags=$'--lookback\t-\trequest the last days again: 7d, or auto (default: the sync file, or 7d)\n'\
$'--refetch\t-\trequest these days again: 2026-03, 2026-03-14, \'last month\'\n'\
$'--table\t*-\tonly these tables, comma-separated or repeated\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--units\t!\tprint one unit of work per line, for run --units on other machines\n'
      positions=($'f')
      ;;
    'bda sync run')
      flags=$'--lookback\t-\trequest the last days again: 7d, or auto (default: the sync file, or 7d)\n'\
$'--refetch\t-\trequest these days again: 2026-03, 2026-03-14, \'last month\'\n'\
$'--table\t*-\tonly these tables, comma-separated or repeated\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--units\tf\trun the units of this file, or of stdin (-), in place of a sync file\n'\
$'--shard\t-\trun only this share of the units, such as 3/16; the first is 1/16\n'\
$'--shard-env\t-\ttake the share from a scheduler: JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX or CLOUD_RUN_TASK_INDEX\n'\
$'--shards\t-\thow many shares there are, for --shard-env JOB_COMPLETION_INDEX\n'\
$'--account-rate\t-\tmaximum requests of all shares together, such as 10/s or 600/m; each takes its part\n'\
$'--concurrency\t-\tmaximum requests in flight (default: adapts to the server, up to 64)\n'
      positions=($'f')
      ;;
    'bda sync sweep')
      flags=$'--table\t*-\tonly these tables, comma-separated or repeated\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--concurrency\t-\tmaximum requests in flight (default: adapts to the server, up to 64)\n'
      positions=($'f')
      ;;
    'bda sync verify')
      flags=$'--table\t*-\tonly these tables, comma-separated or repeated\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'
      positions=($'f')
      ;;
    'bda sync status')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'\
$'--metrics\tf\twrite metrics to this file in the text format of Prometheus\n'
      positions=($'f')
      ;;
    'bda sync history')
      flags=$'--as-of\t-\tlist the files with the rows that the tables had on this day\n'\
$'--table\t*-\twith --as-of, only these tables, comma-separated or repeated\n'
      positions=($'f')
      ;;
    'bda sync ddl')
      flags=$'--for\t=duckdb trino spark bigquery clickhouse postgres\tthe engine\n'\
$'--location\t-\twhere the engine finds the files (default: the destination)\n'\
$'--table\t*-\tonly these tables, comma-separated or repeated\n'
      positions=($'f')
      ;;
    'bda sync rebalance')
      flags=$'--dry-run\t!\tshow what would be moved, and change nothing\n'
      positions=($'f')
      ;;
    'bda sync submit')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'\
$'--lookback\t-\trequest the last days again: 7d, or auto (default: the sync file, or 7d)\n'\
$'--refetch\t-\trequest these days again: 2026-03, 2026-03-14, \'last month\'\n'\
$'--table\t*-\tonly these tables, comma-separated or repeated\n'\
$'--domain\t*@domain\tonly these sites, comma-separated or repeated\n'\
$'--account-rate\t-\tmaximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h\n'\
$'--account-concurrency\t-\tmaximum units in flight of all workers of the account together\n'\
$'--tries\t-\thow often a unit is tried before it is set aside\n'
      positions=($'f')
      ;;
    'bda sync worker')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'\
$'--concurrency\t-\tmaximum units in flight of this worker\n'\
$'--account-rate\t-\tmaximum units started by all workers of the account together: 20 (a second), 300/m or 5000/h\n'\
$'--account-concurrency\t-\tmaximum units in flight of all workers of the account together\n'\
$'--until-empty\t!\tend when the queue is empty; exit code 7 if units are set aside, or the queue lost them\n'\
$'--grace\t-\ttime for the units in hand after SIGTERM, before they are returned\n'\
$'--lost-after\t-\ttime without a sign of life after which another worker takes a unit over\n'\
$'--metrics\tf\twrite metrics to this file in the text format of Prometheus\n'\
$'--log\t=text json\tformat of the log on stderr: text, or one JSON object a line\n'
      positions=($'+f')
      ;;
    'bda sync drain')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'
      positions=($'f')
      ;;
    'bda sync retry')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'
      ;;
    'bda sync cancel')
      flags=$'--engine\t-\tqueue server: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE (default: GATECTL_ENGINE)\n'
      ;;
    'bda sql')
      flags=$'--sync\t?f\tquery the tables of a sync file (default gatectl.sync.yaml)\n'\
$'--file\tf\tread the SQL from a file, or - for stdin\n'\
$'--all\t!\tall rows, in table, md and html too\n'\
$'--out\tf\t.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx\n'\
$'--chart\t?f\tdraw a chart, or write it: .svg, .png, .html\n'\
$'--title\t-\ttitle of the chart\n'\
$'--ascii\t!\tdraw with ASCII characters only\n'
      positions=($'+f')
      ;;
    'bda migrate-query')
      flags=$'--report\t@report\tpredefined report that the request runs\n'\
$'--custom-report\tf\tcustom report that it runs, by id, title or file\n'\
$'--url\t-\tURL of the request; its key is discarded\n'\
$'--from-curl\t!\tread a curl command; its key is discarded\n'\
$'--set\t*-\tset a shell variable of the curl command; repeatable\n'\
$'--segment\t*@segment\tsegment to use instead of the report\'s; repeatable\n'\
$'--from\t=today yesterday -7d -4w -3m -1y\tfirst day: 2026-10-05, 2026-10, yesterday, \'1 Nov\', -7d\n'\
$'--to\t=today yesterday -7d -4w -3m -1y\tlast day, in the same form (default: yesterday)\n'\
$'--last\t=7d 4w 3m 1y\tdays up to yesterday: 7d, 4w, 3m, 1y\n'\
$'--this\t=week month quarter year\tcomplete days of this week, month, quarter, year\n'\
$'--previous\t=week month quarter year\tthe week, month, quarter or year before this one\n'\
$'--month\t-\ta month: 2026-10, Oct, \'last month\'\n'\
$'--period\t-\tdays in words: 2026-Q3, \'this week\', \'last 7 days\'\n'\
$'--include-today\t!\tinclude today, which has not ended yet\n'\
$'--reports\tf\treport definitions, as the gateway lists them\n'\
$'--segments\tf\toutput of gatectl bda segment list --json\n'\
$'--multifilters\tf\toutput of gatectl bda multifilter list --json\n'\
$'--filters\tf\toutput of gatectl bda filter list --json\n'\
$'--columns\tf\toutput of gatectl bda columns --json\n'\
$'--offline\t!\tsend nothing; use definitions from files only\n'\
$'--account\t!\tassess every custom report and segment\n'\
$'--out-dir\td\twrite each query to a file in this folder\n'\
$'--data-set\t@data-set\tdata set of the v2 query (default pageview)\n'\
$'--as\t=json curl gatectl\twhat to print: json (default), curl or gatectl\n'\
$'--label\t-\tselect one of several queries by its label\n'\
$'--run\t!\trun the v2 query instead of printing it\n'\
$'--verify\t!\trun both and exit 0 only if the rows agree\n'\
$'--out\tf\twith --run: write the rows to a file\n'\
$'--lossy\t!\tomit what v2 cannot express instead of failing\n'\
$'--strict\t!\tprint nothing and exit 7 when anything is lost\n'\
$'--notes\tf\twrite what changes and what is lost as JSON\n'
      positions=($'f')
      ;;
    'login')
      flags=$'--domain\t@domain\tthe default domain\n'\
$'--brand\t-\tthe service\'s brand word in header names and platform values (default service)\n'\
$'--key-in\t=header query\twhere Subscriptions and CDN calls carry the key (default header)\n'\
$'--ca-file\tf\tPEM file of a further certificate authority to trust\n'\
$'--api-key-stdin\t!\tread the API key from stdin and store it in the profiles file (mode 0600)\n'\
$'--api-key-file\tf\tread the API key from the first line of this file each time\n'\
$'--key-command\t-\tget the API key from the output of this command each time (no shell)\n'\
$'--keyring\t!\tstore the API key in the operating system\'s keyring (prompted for, or read from stdin)\n'\
$'--skip-check\t!\tstore without testing the key against the gateway\n'
      positions=($'@profile')
      ;;
    'profile')
      commands=$'add\tadd or update a connection profile\n'\
$'list\tlist the stored profiles\n'\
$'show\tshow every setting and where it comes from\n'\
$'use\tset the profile in use\n'\
$'set\tchange one setting of a profile\n'\
$'unset\treset one setting of a profile to its default\n'\
$'set-key\treplace the API key of a profile\n'\
$'remove\tremove a profile and its stored key\n'\
$'path\tprint the path of the profiles file\n'
      ;;
    'profile add')
      flags=$'--domain\t@domain\tthe default domain\n'\
$'--brand\t-\tthe service\'s brand word in header names and platform values (default service)\n'\
$'--key-in\t=header query\twhere Subscriptions and CDN calls carry the key (default header)\n'\
$'--ca-file\tf\tPEM file of a further certificate authority to trust\n'\
$'--time-zone\t@time-zone\tIANA time zone in which days begin and times are shown\n'\
$'--protected\t!\trequire --confirm for a purge of a whole domain\n'\
$'--prefix-subscriptions\t-\tpath of the Subscriptions API below the base URL\n'\
$'--prefix-cdn\t-\tpath of the CDN API below the base URL\n'\
$'--prefix-bda-v1\t-\tpath of the analytics API v1 below the base URL\n'\
$'--prefix-bda-v2\t-\tpath of the analytics API v2 below the base URL\n'\
$'--api-key-stdin\t!\tread the API key from stdin and store it in the profiles file (mode 0600)\n'\
$'--api-key-file\tf\tread the API key from the first line of this file each time\n'\
$'--key-command\t-\tget the API key from the output of this command each time (no shell)\n'\
$'--keyring\t!\tstore the API key in the operating system\'s keyring (prompted for, or read from stdin)\n'\
$'--replace\t!\tdrop all settings and the key of an existing profile first\n'
      positions=($'@profile')
      ;;
    'profile list')
      flags=$'--columns\t-\tprint these columns in this order, separated by commas\n'
      ;;
    'profile show')
      positions=($'@profile')
      ;;
    'profile use')
      positions=($'@profile')
      ;;
    'profile set')
      flags=$'--api-key-stdin\t!\tread the API key from stdin and store it in the profiles file (mode 0600)\n'\
$'--api-key-file\tf\tread the API key from the first line of this file each time\n'\
$'--key-command\t-\tget the API key from the output of this command each time (no shell)\n'\
$'--keyring\t!\tstore the API key in the operating system\'s keyring (prompted for, or read from stdin)\n'\
$'--move-key-from\t-\tsend the key that was stored for this URL to the new base-url\n'
      positions=($'@setting' $'@setting-value')
      ;;
    'profile unset')
      positions=($'@setting')
      ;;
    'profile set-key')
      flags=$'--api-key-stdin\t!\tread the API key from stdin and store it in the profiles file (mode 0600)\n'\
$'--api-key-file\tf\tread the API key from the first line of this file each time\n'\
$'--key-command\t-\tget the API key from the output of this command each time (no shell)\n'\
$'--keyring\t!\tstore the API key in the operating system\'s keyring (prompted for, or read from stdin)\n'
      positions=($'@profile')
      ;;
    'profile remove')
      flags=$'--yes\t!\tremove the stored key without confirmation\n'
      positions=($'@profile')
      ;;
    'profile path')
      ;;
    'alias')
      commands=$'set\tgive a command line a short name\n'\
$'list\tlist the aliases\n'\
$'delete\tforget an alias\n'
      ;;
    'alias set')
      flags=$'--replace\t!\toverwrite an alias of the same name\n'
      positions=($'@alias' $'-')
      ;;
    'alias list')
      ;;
    'alias delete')
      positions=($'@alias')
      ;;
    'doctor')
      flags=$'--domain\t@domain\tthe domain to query Subscriptions for (default: the profile\'s)\n'\
$'--api\t*+=subscriptions cdn bda-v1 bda-v2\tcheck only these APIs: subscriptions, cdn, bda-v1, bda-v2\n'\
$'--sync\tf\tcheck the destination of this sync file (default: gatectl.sync.yaml here)\n'\
$'--bundle\tf\talso write a support bundle, with all secrets removed\n'
      ;;
    'unlock')
      flags=$'--force\t!\trelease locks of running processes, too\n'
      positions=($'+f')
      ;;
    'api')
      flags=$'-f,--raw-field\t*-\tadd a field whose value is text (repeatable)\n'\
$'-F,--field\t*-\tadd a typed field: true, false, null, a number, @FILE for the content of a file, or @- for stdin (repeatable)\n'\
$'-H,--header\t*-\tadd a header, such as \'X-Service-Reader-Email: reader@example.com\'\n'\
$'--input\tf\tsend this JSON as the body (- for stdin)\n'\
$'-i,--include\t!\tprint status and headers before the body\n'\
$'--paginate\t!\tfetch all pages of an analytics v2 query and print one document\n'
      positions=($'=GET POST PUT PATCH DELETE HEAD' $'-')
      ;;
    'sandbox')
      commands=$'serve\trun the embedded gateway until Ctrl-C\n'
      ;;
    'sandbox serve')
      flags=$'--port\t-\tthe port (0 takes a free one)\n'\
$'--host\t-\tthe address to listen on (default 127.0.0.1); 0.0.0.0 for containers, with a generated key\n'\
$'--cors\t*+-\tlet web pages of these origins read responses (CORS)\n'\
$'--purge-to\t-\tsend PURGE and BAN for what the CDN clears to this cache, such as Varnish before /__origin/\n'\
$'--fixtures\tf\tyour own domains, products, readers and purchases, as JSON\n'\
$'--seed\t-\tthe seed of the made-up data; the same seed gives the same data (default 1)\n'\
$'--restate\t!\tchange the figures of past days as the clock advances: most settle within a week, a few change after months\n'\
$'--clock\t-\tstart the server\'s clock at this RFC 3339 time instead of now\n'\
$'--brand\t-\tthe service\'s brand word in header names and platform values (default that of the profile, or service)\n'\
$'--record-from\t@profile\tsend requests to the gateway of this profile and record them\n'\
$'--record-to\td\tthe folder of the recording, which must be empty or new\n'\
$'--replay\td\tserve the responses of a recording\n'\
$'--fault\t*+-\tmisbehave: status=503,path=/access,count=2 (path= is how it begins or ends) · delay=2s · reset · truncate=100 · …\n'
      ;;
    'mcp')
      commands=$'install\tadd gatectl to the configuration of an AI client\n'
      flags=$'--allow\t*=cdn-purge\tallow a write: cdn-purge (repeatable)\n'\
$'--unmask\t!\tshow e-mail addresses of readers to the assistant\n'\
$'--max-targets\t-\tmaximum URLs or keys in one purge plan\n'\
$'--calls-per-minute\t-\tmaximum calls per minute\n'\
$'--http\t-\tserve streamable HTTP on this loopback port instead (0: any free port)\n'
      ;;
    'mcp install')
      flags=$'--allow\t*=cdn-purge\tallow a write: cdn-purge (repeatable)\n'\
$'-y,--yes\t!\twrite without confirmation\n'\
$'--dry-run\t!\tshow the change without writing\n'
      positions=($'=claude-desktop claude-code cursor vscode windsurf')
      ;;
    'completion')
      commands=$'install\tinstall completions for your shell\n'\
$'uninstall\tremove installed completions\n'\
$'bash\tprint the completion script for bash\n'\
$'zsh\tprint the completion script for zsh\n'\
$'fish\tprint the completion script for fish\n'\
$'powershell\tprint the completion script for PowerShell\n'
      ;;
    'completion install')
      flags=$'--shell\t=bash zsh fish powershell\tthe shell (default: that of $SHELL)\n'
      ;;
    'completion uninstall')
      flags=$'--shell\t=bash zsh fish powershell\tthe shell (default: that of $SHELL)\n'
      ;;
    'completion bash')
      ;;
    'completion zsh')
      ;;
    'completion fish')
      ;;
    'completion powershell')
      ;;
    'schema')
      flags=$'--openapi\t!\tprint an OpenAPI 3.1 document of the API; x-assumed marks undocumented behaviour\n'\
$'--sync\t!\tprint a JSON Schema of gatectl.sync.yaml, for editors\n'\
$'--report\t!\tprint a JSON Schema of the files of bda report build, for editors\n'
      positions=($'+@command')
      ;;
    'help')
      positions=($'+@command')
      ;;
  esac
  flags+=$'-p,--profile\t@profile\tprofile to use\n'\
$'--base-url\t-\troot of the gateway; https, except on this machine\n'\
$'--sandbox\t!\tuse the embedded gateway: no key, no network\n'\
$'--no-compression\t!\trequest uncompressed responses\n'\
$'--curl\t!\tprint the equivalent curl command and send nothing\n'\
$'--timeout\t-\ttime limit per request (default 30; cdn 60)\n'\
$'--retries\t-\tmaximum retries per request (default 3)\n'\
$'--insecure-http\t!\tallow plain http to another machine\n'\
$'-o,--output\t=table json ndjson csv tsv md html parquet xlsx\toutput format: table, json, ndjson, csv, tsv, md, html; with --out also parquet, xlsx\n'\
$'--json\t!\tsame as --output json\n'\
$'--csv\t!\tsame as --output csv\n'\
$'--csv-dialect\t=rfc4180 excel excel-semicolon\tform of csv: rfc4180, excel, excel-semicolon (default rfc4180)\n'\
$'--decimals\t-\tround numbers to n decimals; table, md, html, .xlsx only\n'\
$'--jq\t-\tfilter JSON output with a jq expression\n'\
$'-q,--quiet\t!\tsuppress notes, and the tables of successful jobs\n'\
$'-v,--verbose\t!\tlog each HTTP request to stderr, without secrets\n'\
$'--tz\t@time-zone\ttime zone of days and times, such as Europe/Madrid\n'\
$'--no-color\t!\tprint without colors\n'\
$'--no-pager\t!\tprint long output without a pager\n'\
$'--no-input\t!\tnever prompt\n'\
$'-h,--help\t!\tshow help\n'
  commands=${commands%$'\n'} flags=${flags%$'\n'}
}

# The words up to the cursor, put together again where bash broke them at = and :, which don't end a word for gatectl.
__gatectl_words() {
  local rest=${COMP_LINE:0:COMP_POINT} before word i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    before=$rest
    rest=${rest#"${rest%%[![:blank:]]*}"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if [[ $i -gt 0 && $before == "$rest" ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    rest=${rest#"$word"}
  done
}

# A word without the quotes and backslashes that the shell takes away.
__gatectl_plain() {
  plain=$1
  case $plain in
    \'*) plain=${plain#\'} plain=${plain%\'} ;;
    \"*) plain=${plain#\"} plain=${plain%\"} ;;
    *) plain=${plain//\\/} ;;
  esac
}

# The value code of a flag of the command in hand; empty where it has no such flag.
__gatectl_value() {
  local names offer summary
  value=''
  while IFS=$'\t' read -r names offer summary; do
    case ,$names, in *,"$1",*) value=${offer#\*} ;; esac
  done <<<"$flags"
}

# Offers what a value code stands for.
__gatectl_offer() {
  local offer=${1#[+?]} bin word
  case $offer in
    =*)
      for word in ${offer#=}; do candidates+=("$word"); done
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
      done < <("$bin" __complete "${offer#@}" ".$current" "${given[@]}" 2>/dev/null)
      ;;
  esac
}

# Turns candidates (WORD or WORD<TAB>SUMMARY) into what bash inserts, or shows where there are several.
__gatectl_reply() {
  local candidate word summary found=() summaries=() longest=0 start=0 width quoted='' breaks='' before i
  case $typed in
    [\'\"]*) quoted=1 ;;
  esac
  # bash replaces only what follows the last = or :, unless COMP_WORDBREAKS was changed.
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  if [[ -z $quoted && -n $breaks && $whole == *["$breaks"]* ]]; then
    word=${whole%"${whole##*["$breaks"]}"}
    start=${#word}
  fi
  before=${whole%"$typed"}
  for candidate in "${candidates[@]}"; do
    word=${candidate%%$'\t'*}
    [[ $word == "$current"* ]] || continue
    summaries+=("${candidate#"$word"}")
    if [[ -z $quoted ]]; then
      [[ $word == *[!A-Za-z0-9_./:,=@%+-]* ]] && printf -v word '%q' "$word"
      word=$before$word
      word=${word:start}
    fi
    found+=("$word")
    ((${#word} > longest)) && longest=${#word}
  done
  for ((i = 0; i < ${#found[@]}; i++)); do
    word=${found[i]}
    summary=${summaries[i]#$'\t'}
    if [[ ${#found[@]} -gt 1 && -n $summary && $COMP_TYPE != 37 && $COMP_TYPE != 42 ]]; then
      width=$((${COLUMNS:-80} - longest - 6))
      ((${#summary} > width)) && summary="${summary:0:width > 0 ? width : 0}…"
      printf -v word '%-*s  (%s)' "$longest" "$word" "$summary"
    fi
    COMPREPLY+=("$word")
  done
}

_gatectl() {
  local command=$1 commands flags positions value plain words
  local IFS=$' \t\n' path='' flag='' seen=' ' position=0 only_words='' i word given=() candidates=()
  COMPREPLY=()
  __gatectl_words
  local whole=${words[${#words[@]}-1]}
  local typed=$whole current
  __gatectl_load ''
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    __gatectl_plain "${words[i]}"
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
      seen+="${word%%=*} "
    elif [[ $word == -?* ]]; then
      seen+="$word "
      __gatectl_value "$word"
      [[ -n $value && $value != '!' ]] && flag=$word
    elif [[ $'\n'$commands == *$'\n'"$word"$'\t'* ]]; then
      path=${path:+$path }$word
      __gatectl_load "$path"
    else
      ((position++))
    fi
  done
  if [[ -n $flag && ($value != [+?]* || $whole != -*) ]]; then
    :
  elif [[ -z $only_words && $whole == --*=* ]]; then
    __gatectl_value "${whole%%=*}"
    typed=${whole#*=}
  else
    value=''
  fi
  __gatectl_plain "$typed"
  current=$plain
  if [[ -n $value && $value != '!' ]]; then
    __gatectl_offer "$value"
  elif [[ -z $only_words && $whole == -* ]]; then
    local names offer summary
    while IFS=$'\t' read -r names offer summary; do
      [[ $offer != \** && ($seen == *" ${names#*,} "* || $seen == *" ${names%,*} "*) ]] && continue
      candidates+=("${names#*,}"$'\t'"$summary")
      [[ $names == *,* && $current == "${names%,*}" ]] && candidates=("${names%,*}")
    done <<<"$flags"
  else
    if [[ -n $commands && $position == 0 ]]; then
      while IFS= read -r word; do
        candidates+=("$word")
      done <<<"$commands"
      [[ -z $path ]] && __gatectl_offer @alias
    fi
    if [[ ${#positions[@]} -gt 0 ]]; then
      ((position >= ${#positions[@]})) && position=$((${#positions[@]} - 1)) value=last
      [[ $value != last || ${positions[position]} == +* ]] && __gatectl_offer "${positions[position]}"
    fi
  fi
  __gatectl_reply
}

complete -F _gatectl gatectl
