import { createHash } from 'node:crypto';
import type { Chart } from '../chart/chart.ts';
import { summaryOf } from '../chart/summary.ts';
import { escapeHtml } from '../html.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d8dde3; --back: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --faint: #9aa5b1; --line: #3a424b; --back: #14181d; } }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.3rem; }
main { display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 75rem) { main { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
figure { margin: 0; }
figcaption, pre { color: var(--faint); }
#picture { width: 100%; }
#rows { overflow: auto; max-height: 90vh; }
#rows td { overflow-wrap: anywhere; max-width: 30rem; }
#rows thead th { position: sticky; top: 0; background: var(--back); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --text: #000000; --faint: #444c56; --line: #d8dde3; --back: #ffffff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  main { display: block; }
  #rows { overflow: visible; max-height: none; }
  #rows thead th { position: static; }
  #rows tr, #picture { break-inside: avoid; }
}
`;

export interface PageParts {
  readonly picture: Chart;
  /** The question, under the picture. */
  readonly caption: string;
  /** What draws the picture in a browser. */
  readonly script: string;
  /** The rows, as HTML. */
  readonly table: string;
}

/**
 * One file that needs nothing else: the picture, drawn by the library inside it, in words, and as a table beside it. Texts are
 * escaped, and a policy lets nothing run but the library, and nothing be fetched.
 */
export function htmlChart({ picture, caption, script, table }: PageParts): string {
  const code = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const hash = createHash('sha256').update(code).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  // Inside a script element only a tag could end it.
  const data = JSON.stringify(picture).replaceAll('<', '\\u003c');
  const words = picture.panels.flatMap(summaryOf);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(picture.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(picture.title)}</h1>
<main>
<figure>
<div id="picture" role="img" aria-label="${escapeHtml(words.join(' '))}"></div>
<figcaption>
${[...words, ...picture.remarks].map(line => `<p>${escapeHtml(line)}</p>\n`).join('')}<pre>${escapeHtml(caption)}</pre>
</figcaption>
</figure>
<div id="rows">
${table}</div>
</main>
<script type="application/json" id="picture-data">${data}</script>
<!-- Drawn by Apache ECharts, Apache License 2.0. -->
<script>${code}</script>
</body>
</html>
`;
}
