// Pictures of terminals for the README and the site. Each is made from a real run against the embedded gateway, as the pages are: npm run
// generate:docs writes them, and npm run check:docs fails when one shows anything else.
import { openShell } from './console-blocks.js';

const TOP = 'bda top countries --data-set pageview -m visits,revenue --last 7d --limit 3';
const WEEK = 'bda query --data-set pageview -d device -m visits --last 7d';

/** The pictures by their files. The first one moves: its commands appear one after the other. */
const RECORDINGS = {
  'first-steps': {
    title: 'A reader is checked, a page is purged and countries are ranked',
    moves: true,
    commands: [
      'gatectl access suspended@example.com --product premium --sandbox',
      'gatectl cdn purge https://example.com/news --sandbox',
      `gatectl ${TOP} --quiet --sandbox`,
    ],
  },
  support: {
    title: 'The reply to a reader whose subscription is on hold',
    commands: ['gatectl reader suspended@example.com --reply --sandbox'],
  },
  operator: {
    title: 'A purge of two pages, of which one fails',
    before: "printf 'https://example.com/news\\nhttps://example.com/poisoned/1\\n' > changed.txt",
    commands: ['gatectl cdn purge @changed.txt --failed-file failed.txt --sandbox'],
  },
  analyst: {
    title: 'Visits by device as bars, compared with the week before',
    commands: [`gatectl ${WEEK} --compare previous --chart --quiet --sandbox`],
  },
  'data-engineer': {
    title: 'The page views of a month as a CSV file',
    commands: [
      'gatectl bda query -d report_day,page_url -m pageviews --previous month --out pages.csv --sandbox',
      'head -3 pages.csv',
    ],
  },
  developer: {
    title: 'A request as a curl command',
    commands: [
      'gatectl products reader@example.com --domain example.com --base-url https://gateway.example.com --curl',
    ],
  },
};

/** Runs the commands and draws each picture: its path and its text. */
export async function drawRecordings() {
  const drawn = [];
  for (const [name, { commands, before, ...recording }] of Object.entries(RECORDINGS)) {
    const shell = await openShell();
    try {
      const setup = before === undefined ? '' : `${before}\n`;
      const runs = [];
      for (const command of commands) {
        const printed = await shell.run(`export FORCE_COLOR=1\n${setup}${command}`);
        runs.push({ command, lines: printed.trimEnd().split('\n') });
      }
      drawn.push({ path: `docs/pictures/${name}.svg`, text: terminalSvg({ ...recording, runs }) });
    } finally {
      await shell.close();
    }
  }
  return drawn;
}

const COLUMNS = 84;
const CHARACTER = 8.43;
const LINE = 21;
const MARGIN = 20;
const BAR = 34;
/** Seconds before a command appears, after the lines before it. */
const PAUSE = 0.9;
const STEP = 0.12;
const COLOURS = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };

function terminalSvg({ title, runs, moves = false }) {
  let at = 0;
  const rows = runs.flatMap(({ command, lines }, index) => {
    at += index === 0 ? 0.2 : PAUSE;
    const typed = wrapped(`$ ${command}`).map(text => ({ spans: [{ text, style: 'command' }], at }));
    at += PAUSE;
    const printed = lines.flatMap(line => {
      at += STEP;
      return brokenLines(spansOf(line)).map(spans => ({ spans, at }));
    });
    return [...typed, ...printed, ...(index < runs.length - 1 ? [{ spans: [], at }] : [])];
  });
  const width = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = BAR + rows.length * LINE + MARGIN;
  const texts = rows.flatMap(({ spans, at }, index) => {
    if (spans.length === 0) return [];
    const y = BAR + (index + 0.75) * LINE;
    const delay = moves ? ` style="animation-delay:${at.toFixed(2)}s"` : '';
    const parts = spans.map(
      ({ text, style }) => `<tspan${style ? ` class="${style}"` : ''}>${escaped(text)}</tspan>`,
    );
    return [`<text x="${MARGIN}" y="${y.toFixed(1)}"${delay}>${parts.join('')}</text>`];
  });
  const said = runs.map(({ command, lines }) => [`$ ${command}`, ...lines.map(plain)].join('\n')).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<desc>${escaped(said)}</desc>
<style>
svg{--back:#f6f8fa;--edge:#d0d7de;--text:#1f2328;--dim:#59636e;--red:#b3261e;--green:#116329;--yellow:#7d4e00;--cyan:#0b5c73;--command:#0a3d91}
@media (prefers-color-scheme:dark){svg{--back:#151b23;--edge:#3d444d;--text:#e6edf3;--dim:#9198a1;--red:#ff8a80;--green:#7ee787;--yellow:#e3b341;--cyan:#79d4e8;--command:#a5c8ff}}
rect{fill:var(--back);stroke:var(--edge)}circle{fill:var(--edge)}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre;fill:var(--text)}
.command{font-weight:600;fill:var(--command)}.bold{font-weight:600}.dim{fill:var(--dim)}.red{fill:var(--red)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}.cyan{fill:var(--cyan)}
${moves ? 'text{opacity:0;animation:appear .2s forwards}@keyframes appear{to{opacity:1}}@media (prefers-reduced-motion:reduce){text{opacity:1;animation:none}}\n' : ''}</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/>
${texts.join('\n')}
</svg>
`;
}

/** The text of a line with its colours: a span for each. */
function spansOf(line) {
  let style = '';
  return line.split(/(\u001b\[[\d;]*m)/).flatMap(part => {
    const [, code] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
    if (code === undefined) return part === '' ? [] : [{ text: part, style }];
    style = COLOURS[code] ?? '';
    return [];
  });
}

const plain = line => line.replaceAll(/\u001b\[[\d;]*m/g, '');

/** A terminal breaks what is longer than a line. */
function brokenLines(spans) {
  const lines = [[]];
  let room = COLUMNS;
  for (const { text, style } of spans) {
    for (let rest = [...text]; rest.length > 0; ) {
      if (room === 0) {
        lines.push([]);
        room = COLUMNS;
      }
      const part = rest.slice(0, cutAt(rest, room));
      lines.at(-1)?.push({ text: part.join(''), style });
      rest = rest.slice(part.length);
      room = rest.length > 0 ? 0 : room - part.length;
    }
  }
  return lines;
}

/** How many characters fit: up to the last blank, where there is one. */
function cutAt(characters, room) {
  const blank = characters.length > room ? characters.lastIndexOf(' ', room - 1) : -1;
  return blank > 0 ? blank + 1 : room;
}

/** A command as one would type it: continued at a blank. */
function wrapped(command) {
  const lines = [];
  let line = '';
  for (const word of command.split(' ')) {
    if (line !== '' && line.length + word.length + 3 > COLUMNS) {
      lines.push(`${line} \\`);
      line = `    ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
