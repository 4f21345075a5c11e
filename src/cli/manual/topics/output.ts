import { OUTPUT_FORMATS } from '../../../config/settings.ts';
import type { Format } from '../../../output/view.ts';
import { commands, heading, type Topic, terms, text } from '../topic.ts';

const FORMATS: Readonly<Record<Format, string>> = {
  table:
    'for people (the default): numbers grouped by thousands, times in your time zone, in a narrow terminal long decimals end with … and texts go on below themselves; in a pipe everything is whole',
  json: 'one document, as the API sent it, every digit kept',
  ndjson: 'one JSON document a line',
  csv: 'a header and rows, commas and quotes as RFC 4180 has them, lines ending with a line feed; null is an empty cell and an empty text is ""; nested values are JSON text',
  tsv: "a header and rows with tabs between cells, never quoted: a tab, line feed, carriage return or backslash inside a cell is \\t, \\n, \\r or \\\\, as COPY of PostgreSQL (with NULL ''), LOAD DATA of MySQL and TabSeparated of ClickHouse read them; null and an empty text are both empty",
  md: 'a Markdown table, for tickets',
  html: 'an HTML page, for mail and browsers',
};

export const output: Topic = {
  name: 'output',
  summary: 'formats, streams and files',
  blocks: [
    text(
      'stdout carries the answer alone. Notes, progress, prompts and errors go to stderr; --quiet silences the notes. Nothing prompts, draws or colours where there is no terminal.',
    ),
    heading('formats (-o, --output)'),
    { kind: 'terms', terms: OUTPUT_FORMATS.map(term => ({ term, means: FORMATS[term] })) },
    text(
      '--json and --csv are short for two of them. GATECTL_OUTPUT or the setting output choose one for good.',
    ),
    terms(
      ['--jq EXPRESSION', 'filters the JSON answer, without jq being installed'],
      [
        '--csv-dialect excel',
        'a byte order mark, CRLF, and an apostrophe before texts that a spreadsheet would run as a formula',
      ],
    ),
    heading('on a terminal'),
    text(
      'Tables mark outcomes: ✓ allowed or passed, ✗ not allowed or failed, ! a warning, with the color to match. NO_COLOR and --no-color remove the color; a terminal without UTF-8 shows the words alone.',
    ),
    text(
      'Output that exceeds the screen is paged: with GATECTL_PAGER, else PAGER, else less -FRX. --no-pager, GATECTL_PAGER=cat and an empty GATECTL_PAGER turn it off, and so does TERM=dumb. Ctrl-C while rows arrive stops the requests; leaving the pager early exits 0. Pipes and files are never paged.',
    ),
    heading('number of rows (bda query, bda report run)'),
    text(
      'Files, csv, tsv, ndjson, json, --jq and charts get all rows unless --limit is given. table, md and html show the first 100 rows and the total; --all shows all. Rows left out by the default are a warning, which --quiet does not suppress, and exit 7 under --strict. --strict also exits 7 when rows or columns are missing, when rows are repeated, and when the data changed during the export. Rows that contradict the request exit 7 in any case: no row where some are announced, a requested column that every row lacks, or the same page again.',
    ),
    heading('what comes from the API'),
    text(
      'Control characters and escape sequences are shown as visible escapes and never sent to a terminal. Fields that gatectl does not know are kept. An answer of a shape that is not documented is shown as well as can be: a list of objects as rows, anything else as a list of fields; json passes it through whole.',
    ),
    heading('files (--out)'),
    text(
      'The name tells the format: .csv, .tsv, .ndjson (or .jsonl) or .json, and .gz or .zst after it compresses; .parquet has typed columns. The file appears when it is complete. The rows of an interrupted export are kept in FILE.part, and the same command resumes it; on Ctrl-C gatectl prints the complete command, with the days in full. The rows of another query are discarded only after confirmation or with --no-resume, so a scheduled job with relative days needs --no-resume, or a file name of its own for each day. --resume fails unless the interrupted export is the same.',
    ),
    heading('charts and comparisons (bda query, bda report run)'),
    text(
      '--chart draws the rows instead of printing them, and says the same in words; --ascii keeps to plain characters. --chart FILE.svg or FILE.html makes a picture beside the usual answer. --compare previous compares with as many days, weeks or months before, or with the whole period before after --previous month, quarter or year; --compare year compares with the same a year earlier: METRIC_before, METRIC_change and METRIC_change_percent are columns in every format, and compared says which rows exist on one side only, or are not comparable because some of their days have no data.',
    ),
    text(
      'A week or month that the days asked about cut, or that is not over, is marked for people and told on stderr; csv and json stay as they were sent. --complete-periods leaves such weeks and months out.',
    ),
    heading('for example'),
    commands(
      "gatectl purchases reader@example.com --jq '.[].productKey'",
      'gatectl bda query --data-set pageview -d page_url -m visits --previous month --out pages.csv.gz',
      'gatectl bda query --data-set pageview -d report_day -m visits --last 30d --compare previous --chart',
    ),
  ],
};
