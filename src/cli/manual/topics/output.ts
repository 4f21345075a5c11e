import { FORMATS, type Format } from '../../../output/view.ts';
import { commands, heading, type Topic, terms, text } from '../topic.ts';

const MEANINGS: Readonly<Record<Format, string>> = {
  table:
    'for people (the default): columns have labels, ratios are percent, money has two decimals, seconds are 3 m 12 s, changes have a sign, days their weekday; in a narrow terminal texts wrap',
  json: 'one document, as the API sent it, with all digits',
  ndjson: 'one JSON document per line',
  csv: 'a header and rows, with commas and quotes as in RFC 4180 and lines ending with a line feed; null is an empty cell and an empty text is ""; nested values are JSON text',
  tsv: "a header and rows with tabs between cells, never quoted: a tab, line feed, carriage return or backslash inside a cell is \\t, \\n, \\r or \\\\, as COPY of PostgreSQL (with NULL ''), LOAD DATA of MySQL and TabSeparated of ClickHouse read them; null and an empty text are both empty",
  md: 'a Markdown table, for tickets',
  html: 'an HTML page, for e-mail and browsers',
};

export const output: Topic = {
  name: 'output',
  summary: 'output formats, streams and files',
  blocks: [
    text(
      'Results go to stdout; notes, progress, prompts and errors go to stderr. --quiet suppresses notes. Without a terminal there are no prompts, progress bars or colors.',
    ),
    heading('formats (-o, --output)'),
    { kind: 'terms', terms: FORMATS.map(term => ({ term, means: MEANINGS[term] })) },
    text(
      'A file of --out can also be parquet or xlsx. --json and --csv select these two formats. GATECTL_OUTPUT or the setting output change the default.',
    ),
    terms({
      '--decimals N':
        'rounds the numbers of columns with decimals, half away from zero, in table, md, html and .xlsx; all shows every digit; other formats and files reject it, because they have all digits',
      '--locale TAG':
        'writes numbers and dates for people in the form of a country, in tables, reports and charts: 1.234,5 and 16.11.2026 for de-DE; by default as LC_ALL or LANG say. Formats for programs never change',
      '--columns NAMES':
        'prints only these columns, in this order and in every format, for access, purchases and the lists of bda and profile; json and --jq then have rows of these fields, null where a row lacks one. bda query and bda report run choose theirs with --dimension and --metric',
      '--jq EXPRESSION': 'filters JSON output; jq need not be installed',
      '--csv-dialect excel':
        'with a byte order mark, CRLF, and an apostrophe before text that a spreadsheet would run as a formula',
      '--csv-dialect excel-semicolon':
        'the same with semicolons and decimal commas, for spreadsheets of most of Europe and Latin America',
    }),
    heading('on a terminal'),
    text(
      'Tables mark outcomes: ✓ allowed or passed, ✗ not allowed or failed, ! a warning, with the color to match. NO_COLOR and --no-color remove the color; a terminal without UTF-8 shows the words alone.',
    ),
    text(
      'Output that exceeds the screen is paged: with GATECTL_PAGER, else PAGER, else less -FRX. --no-pager, GATECTL_PAGER=cat, an empty GATECTL_PAGER and TERM=dumb disable it. Ctrl-C while rows arrive stops the requests; leaving the pager early exits 0. Pipes and files are never paged.',
    ),
    heading('number of rows (bda query, bda report run)'),
    text(
      'Files, csv, tsv, ndjson, json, --jq and charts contain all rows unless --limit is given. table, md and html show the first 100 rows and the total; --all shows all. If the default omits rows, a warning is printed, even with --quiet, and --strict exits 7. --strict also exits 7 if rows or columns are missing, rows are repeated, the data changed during the export, or some of the days have no data; --previous warns about such days too. A response that contradicts the request always exits 7: no rows although the total is larger, a requested column that is missing from every row, or the same page twice. The file of --out then stays as it was.',
    ),
    text(
      'Rows are compared with the total that the gateway states. If a gateway sends only some of its rows and states their number as the total, nothing shows it: compare a sum, such as a metric without dimensions.',
    ),
    text(
      'Several names after --domain have a request each. Their rows follow each other with the column domain first; --limit, --offset and --sort count for each domain. They are held in memory, up to 4,000,000 cells, and are not resumed: for more, export one domain at a time.',
    ),
    heading('what comes from the API'),
    text(
      'Control characters and escape sequences are shown as visible escapes and never sent to a terminal. Unknown fields are passed through. A text with half of a surrogate pair, such as \\ud800 in JSON, has U+FFFD in its place in csv and tsv, without a warning; json and ndjson keep it, and parquet rejects it. A response with an undocumented shape is printed as rows if it is a list of objects, else as a list of fields; json prints it unchanged.',
    ),
    heading('files (--out)'),
    text(
      'The extension selects the format: .csv, .tsv, .ndjson (or .jsonl) or .json, and .gz or .zst after it compresses; .parquet has typed columns, and .xlsx is a workbook with typed cells. The file appears when it is complete. The rows of an interrupted export are stored in FILE.part, and the same command resumes it; on Ctrl-C gatectl prints the complete command, with absolute days. The rows of another query are discarded only after confirmation or with --no-resume, so a scheduled job with relative days needs --no-resume, or a file name of its own for each day. --resume fails unless there is an interrupted export, of the same query, and leaves the file as it is: it is for repeating a command by hand, and a scheduled job omits it.',
    ),
    heading('charts and comparisons (bda query, bda report run)'),
    text(
      '--chart draws the rows instead of printing them, with a summary in words; --ascii uses only ASCII. --chart FILE.svg or FILE.html writes the chart to a file in addition to the usual output. --compare previous compares with as many days, weeks or months before, or with the complete period before after --previous month, quarter or year; --compare year compares with the same a year earlier: METRIC_before, METRIC_change and METRIC_change_percent are columns in every format, and compared says which rows exist on one side only, are compared per day (periods of unequal length), or are not comparable because some of their days have no data or no rows.',
    ),
    text(
      'Partial weeks and months are marked in output for people, with a warning on stderr; csv and json do not change. --complete-periods excludes them.',
    ),
    heading('for example'),
    commands(
      "gatectl purchases reader@example.com --jq '.[].productKey'",
      'gatectl bda query --data-set pageview -d page_url -m visits --previous month --out pages.csv.gz',
      'gatectl bda query --data-set pageview -d report_day -m visits --last 30d --compare previous --chart',
    ),
  ],
};
