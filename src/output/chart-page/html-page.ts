import { createHash } from 'node:crypto';
import type { Chart } from '../chart/chart.ts';
import { summaryOf } from '../chart/summary.ts';
import { escapeHtml } from '../escape-html.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d8dde3; --back: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --faint: #9aa5b1; --line: #3a424b; --back: #14181d; } }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.3rem; margin-bottom: 0.2rem; overflow-wrap: anywhere; }
.period { margin: 0 0 1rem; color: var(--faint); }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 4px; padding: 0.1rem 0.5rem; margin: 0 0.4rem 0.4rem 0; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; text-align: start; }
#legend [aria-pressed=false] { opacity: 0.55; text-decoration: line-through; }
#rows th button { border: 0; padding: 0; margin: 0; font-weight: inherit; text-align: inherit; }
#rows [aria-sort=ascending] button::after { content: ' ▲'; }
#rows [aria-sort=descending] button::after { content: ' ▼'; }
main { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 75rem) { main { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
figure { margin: 0; min-width: 0; }
figcaption, pre { color: var(--faint); }
#chart { width: 100%; }
#rows { overflow: auto; max-height: 90vh; }
#rows td { overflow-wrap: anywhere; max-width: 30rem; }
#rows thead th { position: sticky; top: 0; background: var(--back); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --text: #000000; --faint: #444c56; --line: #d8dde3; --back: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  main { display: block; }
  #tools, details { display: none; }
  #legend button { border: 0; }
  #legend [aria-pressed=false] { display: none; }
  #rows { overflow: visible; max-height: none; }
  #rows thead th { position: static; }
  #rows tr, #chart { break-inside: avoid; }
}
`;

export interface PageParts {
  readonly chart: Chart;
  /** The request, so that it can be repeated. */
  readonly request: string;
  /** What draws the chart in a browser. */
  readonly script: string;
  /** The rows, as HTML. */
  readonly table: string;
}

/**
 * One file that needs nothing else: the chart, drawn by the library inside it, the same in words, and the rows as a table. Text from
 * the data is escaped. The content policy runs no script but the one in the page, and fetches nothing.
 */
export function htmlChart({ chart, request, script, table }: PageParts): string {
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const hash = createHash('sha256').update(code).digest('base64');
  // Images: the chart on its way to a PNG file.
  const policy = `default-src 'none'; img-src blob:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  // Inside a script element only a tag could end it.
  const data = JSON.stringify(chart).replaceAll('<', '\\u003c');
  const words = chart.panels.flatMap(summaryOf);
  const paragraphs = [...words, ...chart.notes].map(line => `<p>${escapeHtml(line)}</p>\n`).join('');
  const period = chart.subtitle === undefined ? '' : `<p class="period">${escapeHtml(chart.subtitle)}</p>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(chart.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(chart.title)}</h1>
${period}<main>
<figure>
<div id="legend" role="group" aria-label="Series"></div>
<div id="chart" role="img" aria-label="${escapeHtml(words.join(' '))}"></div>
<div id="tools"></div>
<figcaption>
${paragraphs}</figcaption>
<details><summary>Query</summary><pre>${escapeHtml(request)}</pre></details>
</figure>
<div id="rows">
${table}</div>
</main>
<script type="application/json" id="chart-data">${data}</script>
<!-- Drawn by Apache ECharts, Apache License 2.0. -->
<script>${code}</script>
</body>
</html>
`;
}
