import { describe, expect, test } from 'vitest';
import { display, literal, manPages, paragraph } from '../../../src/cli/manual/man-pages.ts';
import { allPages } from '../../../src/cli/manual/surface.ts';
import { TOPICS, topicText } from '../../../src/cli/manual/topics.ts';
import { displayWidth } from '../../../src/terminal/width.ts';

const pages = manPages(allPages());

describe('manual pages', () => {
  test('there is one for each command, each group, gatectl itself and each topic', () => {
    for (const { path } of allPages()) expect(pages.has(`${['gatectl', ...path].join('-')}.1`)).toBe(true);
    for (const { name } of TOPICS) expect(pages.has(`gatectl-${name}.7`)).toBe(true);
    expect(pages.size).toBe(allPages().length + TOPICS.length);
  });

  test.each([...pages])('%s refers only to pages that there are', (_, text) => {
    const named = [
      ...text
        .replaceAll('\\-', '-')
        .replaceAll('\\%', '')
        .matchAll(/(gatectl[a-z0-9-]*)\((\d)\)/g),
    ];
    expect(named).not.toEqual([]);
    for (const [, name, section] of named)
      expect(pages.has(`${name}.${section}`), `${name}(${section})`).toBe(true);
  });
});

describe('text in a page', () => {
  test('shows every sign as it was typed', () => {
    expect(literal(`-'\`^~"\\ …`)).toBe('\\-\\(aq\\(ga\\(ha\\(ti\\(dq\\e \\[u2026]');
  });

  test('keeps flags and names in one piece', () => {
    expect(paragraph('with --out, gatectl writes data.csv whole')).toBe(
      'with \\%\\-\\-out, \\%gatectl writes data.csv whole',
    );
  });

  test('never starts a line with a request', () => {
    expect(paragraph('.gz and .zst')).toBe('\\&.gz and .zst');
    expect(display(['.hidden', "'x'"])).toBe('.RS 4\n.EX\n\\&.hidden\n\\(aqx\\(aq\n.EE\n.RE');
  });

  test('continues in the next line of the source if it is long, and stays one line on the screen', () => {
    const shown = display([Array.from({ length: 40 }, () => 'word').join(' ')])
      .split('\n')
      .slice(2, -2);
    expect(Math.max(...shown.map(line => line.length))).toBeLessThanOrEqual(80);
    expect(shown.map(line => line.replace(/\\c$/, '')).join('')).toBe(
      Array.from({ length: 40 }, () => 'word').join(' '),
    );
  });
});

describe('topics on a terminal', () => {
  test.each(TOPICS.map(topic => [topic.name, topic] as const))(
    '%s fits its width, commands aside',
    (_, topic) => {
      for (const width of [60, 80]) {
        const lines = topicText(topic, width)
          .split('\n')
          .filter(line => !line.startsWith('  $ '));
        expect(lines.filter(line => displayWidth(line) > width)).toEqual([]);
      }
    },
  );
});
