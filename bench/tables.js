/** A part's results as a table, for people: `line` makes a line of cells, `rule` one below the head. */
function table(part, line, rule) {
  const head = ['', 'median', 'quartiles', 'ratio', 'to', 'target', 'peak'];
  const rows = part.cases.flatMap(({ name, seconds, megabytes, most, bars }) => {
    const first = [name, time(seconds.median), `${time(seconds.low)} to ${time(seconds.high)}`];
    const peak = `${memory(megabytes)}${most === undefined || !(megabytes > most) ? '' : ' (over)'}`;
    if (bars.length === 0) return [[...first, '', '', '', peak]];
    return bars.map((bar, index) => [
      ...(index === 0 ? first : ['', '', '']),
      bar.ratio.median.toFixed(2),
      bar.of,
      goal(bar),
      index === 0 ? peak : '',
    ]);
  });
  return [line(head), ...rule, ...rows.map(line)].join('\n');
}

export function textTable(part) {
  const widths = [44, 10, 20, 7, 26, 20, 10];
  const line = cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join(' ')
      .trimEnd();
  const missing = part.missing.length === 0 ? '' : `\nnot installed, skipped: ${part.missing.join(', ')}`;
  return `${part.title}\n${table(part, line, [])}${missing}\n`;
}

export function markdownTable(part) {
  const line = cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const missing = part.missing.length === 0 ? '' : `\n\nNot installed, skipped: ${part.missing.join(', ')}.`;
  const rule = ['|---|---|---|---|---|---|---|'];
  return `### ${part.title}\n\n${table(part, line, rule)}${missing}\n`;
}

/** All parts, the cells of a grid of lines together in one table. */
export function partsMarkdown(parts) {
  const cells = parts.filter(({ line }) => line !== undefined);
  return parts.flatMap(part => {
    if (part.line === undefined) return [markdownTable(part)];
    return part === cells[0] ? [lineMarkdown(cells)] : [];
  });
}

/** A row for each cell of the grid: times, and what gatectl takes of each of the others. */
function lineMarkdown(cells) {
  const peers = [...new Set(cells.flatMap(({ cases }) => cases.at(-1).bars.map(({ of }) => of)))];
  const head = [
    'line',
    'server',
    'the bound',
    ...peers.slice(1),
    'gatectl',
    ...peers.map(of => `of ${of}`),
    'peak',
  ];
  const rows = cells.map(({ line, cases }) => {
    const { bars, seconds, megabytes } = cases.at(-1);
    const timeOf = peer => cases.find(({ name }) => name === peer)?.seconds.median;
    const shown = peers.slice(1).map(peer => (timeOf(peer) === undefined ? '' : time(timeOf(peer))));
    const ratios = peers.map(peer => bars.find(({ of }) => of === peer)?.ratio.median.toFixed(2) ?? '');
    const place = [`${line.megabits} Mbit/s`, `${line.think} ms`, time(line.bound)];
    return [...place, ...shown, time(seconds.median), ...ratios, memory(megabytes)];
  });
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`);
  return `### Over a line\n\n${lines.join('\n')}\n`;
}

export function functionsText(functions) {
  const lines = functions.map(
    ({ name, unit, perSecond, spread }) =>
      `${name.padEnd(44)} ${figure(perSecond).padStart(12)} ${unit.padEnd(8)} +${(spread * 100).toFixed(0)} %`,
  );
  return `Functions\n${lines.join('\n')}\n`;
}

export function functionsMarkdown(functions) {
  const lines = functions.map(({ name, unit, perSecond }) => `| ${name} | ${figure(perSecond)} ${unit} |`);
  return `### Functions\n\n| | median |\n|---|---|\n${lines.join('\n')}\n`;
}

/** Compares two runs by their ratios, which carry over to other machines, unlike times. */
export function comparison(now, then) {
  const lines = [];
  for (const part of now.parts) {
    const before = then.parts.find(({ name }) => name === part.name);
    for (const { name, bars } of part.cases) {
      for (const { of, ratio } of bars) {
        const old = before?.cases.find(each => each.name === name)?.bars.find(bar => bar.of === of)?.ratio;
        if (old === undefined) continue;
        const apart = ratio.low > old.high ? 'slower' : ratio.high < old.low ? 'faster' : 'alike';
        const change = `${((ratio.median / old.median - 1) * 100).toFixed(0)} %`;
        lines.push(
          `${name.padEnd(44)} ${old.median.toFixed(2).padStart(8)} ${ratio.median.toFixed(2).padStart(8)} ${change.padStart(7)}  ${apart} (to ${of})`,
        );
      }
    }
  }
  return `Against ${then.at}: ratio then, ratio now, change\n${lines.join('\n')}\n`;
}

/** Every bar that is not met, as sentences. */
export function unmet(parts) {
  return parts.flatMap(({ cases }) =>
    cases.flatMap(({ name, bars, most, megabytes }) => [
      ...bars
        .filter(({ target, ratio }) => target !== undefined && ratio.median > target)
        .map(
          ({ of, target, ratio }) =>
            `${name}: ${ratio.median.toFixed(2)} times ${of}, at most ${target} wanted`,
        ),
      ...(most !== undefined && megabytes > most
        ? [`${name}: ${memory(megabytes)}, at most ${most} MB wanted`]
        : []),
    ]),
  );
}

function goal({ target, beyond, ratio }) {
  if (target === undefined) return '';
  const met = ratio.median <= target ? 'met' : 'missed';
  const further = beyond === undefined ? '' : ratio.median <= beyond ? `, ${beyond} met` : `, ${beyond} not`;
  return `${target} ${met}${further}`;
}

function time(seconds) {
  return seconds < 1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

function memory(megabytes) {
  return Number.isFinite(megabytes) ? `${megabytes.toFixed(0)} MB` : '';
}

function figure(number) {
  return number >= 1000 ? Math.round(number).toLocaleString('en') : number.toPrecision(3);
}
