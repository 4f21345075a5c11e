import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseFixtures, startSandbox } from '../../src/sandbox/index.ts';
import { Terminal } from './terminal.ts';

interface Ticket {
  readonly ticket: string;
  readonly keys?: readonly string[];
  readonly list?: true;
  readonly language?: string;
  readonly mask?: true;
  readonly shows: readonly string[];
  readonly hides?: readonly string[];
}

const { fixtures, tickets } = JSON.parse(
  readFileSync(new URL('../support/tickets.json', import.meta.url), 'utf8'),
) as { fixtures: object; tickets: readonly Ticket[] };
const PROMPT = /^(?:Reader \(\? for help\)|Leser \(\? zeigt Hilfe\)):\s*$/m;
const NOON = Date.UTC(2026, 2, 14, 12);
const HOUR = 3_600_000;
/** Keys for each ticket, where a paste is one. */
const KEYSTROKES = [2, 2, 2, 4, 2, 10, 2, 14, 2, 3, 7, 4];

/** The prompt of `gatectl reader` in a terminal, and hands at it that count what they press. */
class Desk {
  keystrokes = 0;
  readonly terminal: Terminal;
  readonly #clock: { now: number };

  constructor(terminal: Terminal, clock: { now: number }) {
    this.terminal = terminal;
    this.#clock = clock;
  }

  static async open(words = ''): Promise<Desk> {
    const clock = { now: NOON };
    const gateway = await startSandbox({
      fixtures: parseFixtures(JSON.stringify(fixtures)),
      now: () => clock.now,
    });
    onTestFinished(() => gateway.close());
    const terminal = await Terminal.open({
      columns: 100,
      env: {
        GATECTL_BASE_URL: gateway.baseUrl,
        GATECTL_API_KEY: gateway.apiKey,
        GATECTL_DOMAIN: 'example.com',
        HISTFILE: 'history',
      },
    });
    await terminal.gatectl(`reader ${words}`);
    await terminal.until(PROMPT);
    return new Desk(terminal, clock);
  }

  /** Presses a key; after Enter, waits for the next prompt on a new screen. */
  async press(key: string): Promise<void> {
    if (key === 'an hour passes') {
      this.#clock.now += 2 * HOUR;
      return;
    }
    const [, how, text = ''] = /^(paste|type):([\s\S]*)$/.exec(key) ?? [];
    this.keystrokes += how === 'type' ? text.length : 1;
    const before = this.terminal.screen();
    if (how === 'paste') this.terminal.paste(text);
    else if (how === 'type') this.terminal.type(text);
    else this.terminal.press(key);
    // What is on the screen before Enter is not what the answer is.
    if (key === 'Enter') await this.terminal.until(PROMPT, before);
    else if (how !== undefined) await this.terminal.until(/(?:for help|zeigt Hilfe)\): \S/);
  }

  async pressAll(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.press(key);
  }
}

/** A workbook of forty tickets. */
function workbook(): Uint8Array {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = Array.from({ length: 40 }, (_, at) => [
    `T-${1001 + at}`,
    `${at === 0 ? 'active' : `r${at}`}@example.com`,
  ]);
  const data = [['ticket', 'email'], ...rows].map(cells => `<row>${cells.map(cell).join('')}</row>`).join('');
  return zipSync({
    'xl/workbook.xml': strToU8(
      '<workbook><sheets><sheet name="Tickets" r:id="a"/></sheets></workbook>'.replace(
        '<workbook>',
        '<workbook xmlns:r="r">',
      ),
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="a" Target="worksheets/a.xml"/></Relationships>',
    ),
    'xl/worksheets/a.xml': strToU8(`<worksheet><sheetData>${data}</sheetData></worksheet>`),
  });
}

async function addressesBelow({ terminal }: Desk): Promise<string> {
  await terminal.command(
    'rm -f tickets.xlsx; grep -rl --exclude-dir=compiled @example.com . || echo nowhere',
  );
  return (await terminal.ended()).screen;
}

describe('a ticket in the terminal', () => {
  test.each(tickets.map((each, at) => [each.ticket, each, KEYSTROKES[at]] as const))(
    '%s',
    async (_, ticket, keystrokes) => {
      const desk = await Desk.open();
      const { terminal } = desk;
      if (ticket.list) {
        writeFileSync(join(terminal.home, 'tickets.xlsx'), workbook());
        await desk.pressAll('type:@tickets.xlsx', 'Enter');
        await terminal.until(/T-1040/);
      }
      await desk.pressAll(...(ticket.keys ?? []));
      if (ticket.language !== undefined) await desk.pressAll(`type:l ${ticket.language}`, 'Enter');
      if (ticket.mask) await desk.pressAll('type:m', 'Enter');
      const shown = terminal.screen({ all: true }).replace(/\s+/g, ' ');
      for (const text of ticket.shows) expect(shown).toContain(text);
      for (const text of ticket.hides ?? []) expect(shown).not.toContain(text);
      expect(desk.keystrokes).toBe(keystrokes);
      terminal.press('C-d');
      expect((await terminal.ended()).exit).toBe(0);
      expect(terminal.screen({ all: true })).not.toContain('@example.com');
      expect(await addressesBelow(desk)).toMatch(/^nowhere$/m);
    },
  );
});

describe('the prompt', () => {
  test('recalls lines, clears wrong ones, copies the reply, explains its keys, and masks what is typed', async () => {
    const desk = await Desk.open();
    const { terminal } = desk;
    await desk.pressAll('type:hello', 'Enter');
    expect(terminal.screen()).toMatch(/warning: not a valid e-mail address[\s\S]*Reader \(\? for help\):$/);
    await desk.pressAll('type:suspended@example.com', 'Enter');
    await desk.pressAll('type:c', 'Enter');
    expect(terminal.clipboard()).toMatch(/^Hello,[\s\S]*on hold[\s\S]*Kind regards$/);
    await desk.pressAll('type:a', 'Enter');
    expect(terminal.clipboard()).toMatch(/^### Reader suspended@example\.com/);
    await desk.pressAll('type:?', 'Enter');
    expect(terminal.screen()).toContain('copy the reply');
    terminal.press('Up', 'Up', 'Up', 'Up');
    await terminal.until(/help\): suspended@example\.com$/m);
    terminal.press('Left', 'BSpace', 'C-e', 'C-u');
    await terminal.until(PROMPT);
    await desk.pressAll('type:m', 'Enter');
    terminal.type('active@example.com');
    await terminal.until(/help\): \*{18}$/m);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
    expect(terminal.screen({ all: true })).not.toContain('@example.com');
    expect(await addressesBelow(desk)).toMatch(/^nowhere$/m);
  });

  test('Ctrl-D leaves with an empty screen, also --mask hides from the start, and without a terminal there is no prompt', async () => {
    const desk = await Desk.open('--mask');
    const { terminal } = desk;
    await desk.pressAll('paste:active@example.com', 'Enter');
    expect(terminal.screen({ all: true })).toContain('Reader a***@example.com');
    terminal.press('C-d');
    expect((await terminal.ended()).exit).toBe(0);
    await terminal.gatectl('reader < /dev/null');
    expect(await terminal.ended()).toMatchObject({
      exit: 2,
      screen: expect.stringContaining('error: a reader is required'),
    });
    await terminal.gatectl('reader | cat');
    expect((await terminal.ended()).screen).toContain('error: a reader is required');
  });
});
