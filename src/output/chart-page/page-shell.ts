import { createHash } from 'node:crypto';
import { escapeHtml } from '../../text/markup.ts';
import type { Chart } from '../chart/chart.ts';
import { cutBarsOf, summaryOf } from '../chart/summary.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d8dde3; --back: #ffffff; --good: #1a7f37; --bad: #b3261e; --now: #0072b2; --before: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --faint: #9aa5b1; --line: #3a424b; --back: #14181d; --good: #57c278; --bad: #ff8a80; --now: #56b4e9; --before: #9aa5b1; } }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; font: 15px/1.45 Inter, system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.3rem; margin-bottom: 0.2rem; overflow-wrap: anywhere; }
.period { margin: 0 0 1rem; color: var(--faint); }
section { border-top: 1px solid var(--line); min-width: 0; }
section .period, section p { margin: 0.3rem 0; }
section figure, section .rows { margin: 0.6rem 0; }
section h2, section h3 { margin: 0.8rem 0 0; font-size: 1.15rem; overflow-wrap: anywhere; }
section h3 { font-size: 1rem; }
section a { color: inherit; }
section table { border-collapse: collapse; }
.prose { max-width: 46rem; overflow-wrap: anywhere; }
.prose td, .prose th { border-bottom: 1px solid #8888; padding: 3px 8px; }
.report { gap: 2rem; max-width: 60rem; margin: 0 auto; font: 16px/24px Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: 16px; margin: 16px 0 0; }
.tiles > div { border: 1px solid var(--line); border-radius: 8px; padding: 16px; min-width: 0; max-width: 30rem; break-inside: avoid; container-type: inline-size; }
.tiles dt, .tiles .note { color: var(--faint); font-size: 13px; line-height: 20px; }
.tiles dd { margin: 0; }
.tiles .value { font-size: clamp(12px, 150cqi / var(--length), 28px); line-height: 40px; font-weight: 600; overflow-wrap: anywhere; }
.tiles .change { color: var(--faint); overflow-wrap: anywhere; }
.tiles .good { color: var(--good); }
.tiles .bad { color: var(--bad); }
.tiles .line { margin-top: 8px; line-height: 0; }
.tiles svg { width: 100%; height: 32px; }
.tiles path { fill: none; stroke: var(--now); stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.tiles .before { stroke: var(--before); stroke-width: 1.5; stroke-dasharray: 4 3; }
.report header .period { margin: 0; }
.report .headline { overflow-wrap: anywhere; font-size: 18px; line-height: 24px; margin: 16px 0 0; }
.report h1 { font-size: 28px; line-height: 36px; margin: 1rem 0 0.25rem; }
.report h2 { font-size: 18px; line-height: 24px; margin: 1.5rem 0 0.5rem; }
.report h1, .report p, .report .prose { max-width: 47.5rem; }
.report .period, .report .footnote { font-size: 13px; line-height: 20px; }
.warning { border-left: 3px solid; padding-left: 0.6rem; }
.footnote { color: var(--faint); }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 4px; padding: 0.1rem 0.5rem; margin: 0 0.4rem 0.4rem 0; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; text-align: start; }
.legend [aria-pressed=false] { opacity: 0.55; text-decoration: line-through; }
.rows th button { border: 0; padding: 0; margin: 0; font-weight: inherit; text-align: inherit; overflow-wrap: normal; }
.rows [aria-sort=ascending] button::after { content: ' ▲'; }
.rows [aria-sort=descending] button::after { content: ' ▼'; }
main, .beside { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 75rem) { .beside:not(:has(th:nth-child(6))) { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
figure { margin: 0; min-width: 0; }
figcaption, pre { color: var(--faint); }
figcaption { font-size: 13px; line-height: 20px; overflow-wrap: anywhere; }
figcaption p { margin: 0.3rem 0; }
.chart { width: 100%; }
.rows { overflow: auto; max-height: 90vh; --shade: light-dark(#0003, #fff4);
  background: linear-gradient(to right, var(--back) 40%, transparent) left / 3rem 100% no-repeat local, linear-gradient(to left, var(--back) 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / 1rem 100% no-repeat scroll, linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll; }
.rows table { width: max-content; }
.rows td { overflow-wrap: anywhere; max-width: 30rem; }
.rows td[style$=right] { max-width: none; }
.report .rows { max-height: none; }
.report .rows table { width: auto; }
.report .rows td { min-width: 6.5rem; }
.report .rows td[style$=right] { min-width: 4rem; }
.report .rows th { vertical-align: bottom; }
.rows thead th { position: sticky; top: 0; background: var(--back); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
@page { size: A4; margin: 16mm; }
@media print {
  :root { color-scheme: light; --text: #000000; --faint: #444c56; --line: #d8dde3; --back: #ffffff; --good: #1a7f37; --bad: #b3261e; --now: #0072b2; --before: #6e7781; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  main, section, .beside { display: block; }
  .tools, details { display: none; }
  .legend button { border: 0; }
  .legend [aria-pressed=false] { display: none; }
  .rows { overflow: visible; max-height: none; background: none; }
  .rows table { width: auto; }
  .rows thead th { position: static; }
  .rows th button { display: contents; }
  .report, .report header, .report p, .report .rows { max-width: none; font-size: 10pt; line-height: 14pt; }
  .report .rows table { width: 100%; }
  h1, h2, h3, h2 + .period, .beside, .legend, section p:has(~ .rows) { break-after: avoid; }
  .tiles { margin-bottom: 8px; }
  figcaption { break-before: avoid; }
  figcaption p { margin: 0; }
  .rows:not(:has(tr:nth-child(20))), .rows thead, .rows tr, .chart > *, figcaption { break-inside: avoid; }
  .rows th { overflow-wrap: normal; }
  .report .rows td { min-width: 5rem; }
  .report .rows td[style$=right] { min-width: 0; }
  .report .rows:has(th:nth-child(7)) { font-size: 8pt; line-height: 12pt; }
}
`;

interface PageShell {
  readonly title: string;
  readonly body: string;
  readonly assets: PageAssets;
}

/** What every page has in it. */
export interface PageAssets {
  /** What draws the charts and sorts the tables in a browser. */
  readonly script: string;
  /** WOFF2 files in base64 of the Latin letters, by weight. */
  readonly fonts: readonly (readonly [weight: number, file: string])[];
}

/** The characters of the fonts; others are in a font of the reader. */
const LATIN =
  'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD';

/**
 * A page in one file that needs nothing else. The content policy runs no script but the one in the page, and fetches nothing. `body` is
 * HTML.
 */
export function pageShell({ title, body, assets: { script, fonts } }: PageShell): string {
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const hash = createHash('sha256').update(code).digest('base64');
  // Images: the chart on its way to a PNG file.
  const policy = `default-src 'none'; img-src blob:; font-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${fonts.map(fontFace).join('')}${STYLE}</style>
</head>
<body>
${body}<!-- Charts are drawn by Apache ECharts, Apache License 2.0. The font is Inter, SIL Open Font License 1.1. -->
<script>${code}</script>
</body>
</html>
`;
}

function fontFace([weight, file]: PageAssets['fonts'][number]): string {
  return `@font-face { font-family: Inter; font-weight: ${weight}; src: url(data:font/woff2;base64,${file}) format('woff2'); unicode-range: ${LATIN}; }\n`;
}

/** A chart, drawn by the script of the page, and the same in words; with a request, the query too. */
export function chartFigure(chart: Chart, request?: string): string {
  // Inside a script element only a tag could end it.
  const data = JSON.stringify(chart).replaceAll('<', '\\u003c');
  const words = chart.panels.flatMap(summaryOf);
  const cut = chart.panels.flatMap(cutBarsOf);
  const paragraphs = [...cut, ...words, ...chart.notes].map(line => `<p>${escapeHtml(line)}</p>\n`).join('');
  const label = words.length === 0 ? chart.title : words.join(' ');
  return `<figure>
<div class="legend" role="group" aria-label="Series"></div>
<div class="chart" role="img" aria-label="${escapeHtml(label)}"></div>
<div class="tools"></div>
<figcaption>
${paragraphs}</figcaption>
${request === undefined ? '' : queryDetails(request)}<script type="application/json" class="chart-data">${data}</script>
</figure>
`;
}

/** The query of a section, so that it can be repeated. */
export function queryDetails(request: string): string {
  return `<details><summary>Query</summary><pre>${escapeHtml(request)}</pre></details>\n`;
}
