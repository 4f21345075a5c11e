import { padEnd, wrap } from '../../terminal/width.ts';
import type { Block, Topic } from './topic.ts';
import { dates } from './topics/dates.ts';
import { environment } from './topics/environment.ts';
import { errors } from './topics/errors.ts';
import { exitCodes } from './topics/exit-codes.ts';
import { filters } from './topics/filters.ts';
import { output } from './topics/output.ts';
import { profiles } from './topics/profiles.ts';

/** The help topics. */
export const TOPICS: readonly Topic[] = [exitCodes, errors, environment, profiles, filters, dates, output];

const WIDTH = 80;
const WIDEST = 100;
/** The meaning of a longer term starts on the next line. */
const TERM_WIDTH = 24;

/** Formats a topic for a terminal with `width` columns. */
export function topicText({ name, summary, blocks }: Topic, width = WIDTH): string {
  const columns = Math.min(width, WIDEST);
  const title = wrap(`gatectl ${name}: ${summary}`, columns).join('\n');
  return [title, ...blocks.map(block => blockText(block, columns))].map(part => `${part}\n`).join('\n');
}

function blockText(block: Block, width: number): string {
  switch (block.kind) {
    case 'text':
      return wrap(block.text, width).join('\n');
    case 'heading':
      return `${block.text}:`;
    case 'commands':
      return block.lines.map(line => `  $ ${line}`).join('\n');
    case 'terms': {
      const widths = block.terms.map(({ term }) => term.length).filter(length => length <= TERM_WIDTH);
      const column = Math.max(0, ...widths) + 4;
      return block.terms.map(({ term, means }) => termText(term, means, column, width)).join('\n');
    }
  }
}

function termText(term: string, means: string, column: number, width: number): string {
  const lines = wrap(means, Math.max(20, width - column));
  const [first = '', ...rest] = lines;
  const indent = ' '.repeat(column);
  if (term.length + 4 > column) return [`  ${term}`, ...lines.map(line => indent + line)].join('\n');
  return [padEnd(`  ${term}`, column) + first, ...rest.map(line => indent + line)].join('\n');
}
