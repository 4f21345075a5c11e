import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../src/files/workbook.ts';
import { ListSummary } from '../../../src/operations/access/list-rows.ts';
import { ENGLISH } from '../../../src/operations/access/words/english.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { readWorkbook } from '../../support/workbook.ts';

const TICKETS =
  'Ticket;Name;E-Mail;Decision\n#1042;Jürgen;active@example.com;open\n#1043;Zoë;expired@example.com;\n#1044;Li;active@example.com;"open\nagain"\n';
const access = (list: string, ...words: string[]) =>
  run(['access', `@${list}`, '--product', 'premium', '--sandbox', ...words]);

function inFile(name: string, content: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** A workbook as Excel writes it: shared strings, a rich text with a guide, dates by style, a gap, a hidden first sheet. */
function workbook(sheetXml: string, { isHidden = false } = {}): Uint8Array {
  const xml = (body: string) => strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${body}`);
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const hidden = isHidden ? '<sheet name="Raw" sheetId="2" state="hidden" r:id="rId2"/>' : '';
  return zipSync({
    'xl/workbook.xml': xml(
      `<workbook ${main} ${r}><sheets>${hidden}<sheet name="Tickets" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': xml(
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="worksheets/sheet2.xml"/></Relationships>',
    ),
    'xl/sharedStrings.xml': xml(
      `<sst ${main}><si><t>E-Mail</t></si><si><r><t>Anna </t></r><r><t>&lt;active@example.com&gt;</t></r><rPh><t>no</t></rPh></si><si><t>Due</t></si></sst>`,
    ),
    'xl/styles.xml': xml(
      `<styleSheet ${main}><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="000000"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    ),
    'xl/worksheets/sheet1.xml': xml(`<worksheet ${main}><sheetData>${sheetXml}</sheetData></worksheet>`),
    'xl/worksheets/sheet2.xml': xml(`<worksheet ${main}><sheetData/></worksheet>`),
  });
}

const SHEET =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>Ticket</t></is></c><c r="B1" t="s"><v>0</v></c><c r="D1" t="s"><v>2</v></c></row>' +
  '<row r="3"><c r="A3"><v>1042</v></c><c r="B3" t="s"><v>1</v></c><c r="D3" s="1"><v>46095</v></c></row>';

describe('a list keeps its columns', () => {
  test('and gets the decision: lines in their order, duplicates too; a taken name gets a number', async () => {
    const ran = await access(inFile('tickets.csv', TICKETS), '--csv');
    expect(ran).toEqual({
      code: 0,
      stdout: `Ticket,Name,E-Mail,Decision,allowed,decision 2,reasonCode,meaning,error
#1042,Jürgen,active@example.com,open,true,allowed,allowed,the reader has access now,
#1043,Zoë,expired@example.com,,false,expired,expired,"the reader had access, and it has ended",
#1044,Li,active@example.com,"open
again",true,allowed,allowed,the reader has access now,
`,
      stderr: '',
    });
  });

  test.each([
    ['JSON', (items: object[]) => JSON.stringify(items)],
    ['NDJSON', (items: object[]) => items.map(item => JSON.stringify(item)).join('\n')],
  ])('in %s: members that only later objects have, and nested values, too', async (_, write) => {
    const items = [
      { email: 'active@example.com' },
      { email: 'expired@example.com', ticket: 7, tags: ['a', { b: 1 }] },
      { plan: 'x', email: 'nobody@example.com' },
    ];
    const path = inFile('tickets.json', write(items));
    const ran = await access(path, '--csv', '--columns', 'email,ticket,tags,plan,allowed');
    expect(ran).toMatchObject({
      code: 0,
      stdout: `email,ticket,tags,plan,allowed
active@example.com,,,,true
expired@example.com,7,"[""a"",{""b"":1}]",,false
nobody@example.com,,,x,false
`,
    });
  });

  test('with two columns for each of several products, and a summary first', async () => {
    const path = inFile('tickets.csv', TICKETS);
    const ran = await access(
      path,
      '--product',
      'sports',
      '-o',
      'md',
      '--columns',
      'Ticket,premium,sports reason',
    );
    expect(ran.stdout).toBe(`### Access to premium, sports at example.com

premium: 1 of 2 readers with access; 1 without access (expired)

sports: 1 of 2 readers with access; 1 without access (no_entitlement)

3 lines name 2 readers

| Ticket | premium | sports reason  |
| ------ | ------- | -------------- |
| #1042  | yes     | allowed        |
| #1043  | no      | no_entitlement |
| #1044  | yes     | allowed        |
`);
  });

  test('in a workbook: a sheet with the summary, then the lines', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'answers.xlsx');
    const ran = await access(inFile('tickets.csv', TICKETS), '--out', out);
    expect([ran.code, ran.stderr]).toEqual([0, `wrote ${out}\n`]);
    const [summary, readers] = readWorkbook(out);
    expect(summary?.rows.map(([cell]) => cell?.value)).toEqual([
      'Access to premium at example.com',
      'premium: 1 of 2 readers with access; 1 without access (expired)',
      '3 lines name 2 readers',
    ]);
    expect(readers?.rows.map(cells => cells.slice(0, 5).map(cell => cell?.value))).toEqual([
      ['Ticket', 'Name', 'E-Mail', 'Decision', 'Allowed'],
      ['#1042', 'Jürgen', 'active@example.com', 'open', 'true'],
      ['#1043', 'Zoë', 'expired@example.com', undefined, 'false'],
      ['#1044', 'Li', 'active@example.com', 'open\nagain', 'true'],
    ]);
    const again = await access(out, '--csv', '--columns', 'Ticket,allowed 2');
    expect([again.stdout, again.stderr]).toEqual([
      'Ticket,allowed 2\n#1042,true\n#1043,false\n#1044,true\n',
      'note: reading the sheet Readers, one of 2\n',
    ]);
  });

  test.each(['csv', 'tsv', 'json', 'ndjson', 'md', 'html'])('also to a .%s file', async extension => {
    const out = join(temporaryFolder(), `answers.${extension}`);
    const ran = await access(inFile('tickets.csv', TICKETS), '--out', out, '--quiet');
    expect(ran.code).toBe(0);
    const text = readFileSync(out, 'utf8');
    for (const part of ['#1042', 'Jürgen', 'expired']) expect(text).toContain(part);
  });

  test('a line without a valid address stays, with the reason', async () => {
    const path = inFile(
      'tickets.csv',
      'ticket,email\n1,active@example.com\n2,nobody\n3,a@example.com b@example.com\n',
    );
    expect((await access(path)).stderr).toContain('line 3: not an e-mail address');
    const ran = await access(path, '--skip-invalid', '--csv', '--columns', 'ticket,allowed,error');
    expect(ran.stdout).toBe(
      'ticket,allowed,error\n1,true,\n2,,not an e-mail address\n3,,two addresses in one cell\n',
    );
  });

  test('and is masked as a whole', async () => {
    const ran = await access(inFile('tickets.csv', TICKETS), '--csv', '--mask');
    expect(ran.stdout).not.toMatch(/active@|expired@/);
    expect(ran.stdout).toContain('#1042,Jürgen,a***@example.com');
  });
});

describe('a spreadsheet is a list', () => {
  test('with the cells as they are shown; a name around an address is no obstacle', async () => {
    const ran = await access(
      inFile('tickets.xlsx', workbook(SHEET)),
      '--csv',
      '--columns',
      'Ticket,Due,allowed',
    );
    expect([ran.code, ran.stdout]).toEqual([0, 'Ticket,Due,allowed\n1042,2026-03-14,true\n']);
  });

  test('a number of a ticket keeps the zeros that its format shows', async () => {
    const sheet = SHEET.replace('<c r="A3"><v>1042</v></c>', '<c r="A3" s="2"><v>42</v></c>');
    const ran = await access(inFile('tickets.xlsx', workbook(sheet)), '--csv', '--columns', 'Ticket,Due');
    expect(ran.stdout).toBe('Ticket,Due\n000042,2026-03-14\n');
  });

  test('also from stdin; a hidden sheet is passed over, and the one that is read is named', async () => {
    const { Readable } = await import('node:stream');
    const stdin = Readable.from([Buffer.from(workbook(SHEET, { isHidden: true }))]);
    const ran = await run(['access', '-', '--product', 'premium', '--sandbox', '--jq', '.[].Ticket'], {
      stdin,
    });
    expect([ran.stdout, ran.stderr.split('\n')[0]]).toEqual([
      '1042\n',
      'note: reading the sheet Tickets, one of 2',
    ]);
  });

  test('problems name the row of the sheet', async () => {
    const path = inFile('tickets.xlsx', workbook(SHEET.replace('<v>1</v>', '<v>2</v>')));
    expect((await access(path, '--email-column', 'E-Mail')).stderr).toContain(
      'line 3: not an e-mail address',
    );
  });

  test.each<[string, Uint8Array, string]>([
    ['an old workbook', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'is a workbook of an old Excel'],
    ['another ZIP file', zipSync({ a: strToU8('b') }), 'is not a workbook of Excel'],
    ['half a workbook', workbook(SHEET).subarray(0, 300), 'is a damaged workbook'],
    ['damaged XML', workbook('<row><c'), 'is a damaged workbook'],
  ])('%s is named', async (_, bytes, problem) => {
    const ran = await access(inFile('tickets.xlsx', bytes));
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('a workbook that unpacks to more than it may is refused before it is unpacked', () => {
    const bytes = Buffer.from(zipSync({ 'xl/workbook.xml': new Uint8Array(1000) }));
    const size = Buffer.from(Uint32Array.of(1000).buffer);
    for (let at = bytes.indexOf(size); at >= 0; at = bytes.indexOf(size, at + 1))
      bytes.writeUInt32LE(300 << 20, at);
    expect(() => readSheet(bytes, 'bomb.xlsx')).toThrow('larger than 256 MiB');
  });

  test('CSV of Excel in Windows-1252 is read with a note, but no address is guessed', async () => {
    const path = inFile('tickets.csv', Buffer.from(TICKETS, 'latin1'));
    const ran = await access(path, '--csv');
    expect(ran.stdout).toContain('#1042,Jürgen,active@example.com');
    expect(ran.stderr).toContain('is read as Windows-1252');
    const uncertain = inFile('more.csv', Buffer.from('name,email\nJ,jürgen@example.com\n', 'latin1'));
    expect((await access(uncertain)).stderr).toContain(
      'line 2: an address with letters of an unknown encoding',
    );
  });
});

describe('readers in a text', () => {
  test('two addresses are a list, one word each or in one text', async () => {
    for (const words of [
      ['active@example.com', 'expired@example.com'],
      ['active@example.com; expired@example.com'],
    ]) {
      const ran = await run([
        'access',
        ...words,
        '--product',
        'premium',
        '--sandbox',
        '--csv',
        '--exit-code',
      ]);
      expect([ran.code, ran.stdout.split('\n').map(line => line.slice(0, 26))]).toEqual([
        3,
        ['email,allowed,decision,rea', 'active@example.com,true,al', 'expired@example.com,false,', ''],
      ]);
    }
  });

  test('a page that is pasted with the address is the item', async () => {
    const text = 'Item <item@example.com>\nhttps://example.com/articles/long-read?utm_source=x&mc_eid=1';
    const ran = await run(['access', text, '--sandbox', '--jq', '.decision']);
    expect(ran).toEqual({
      code: 0,
      stdout: 'allowed\n',
      stderr:
        'note: using the address, the page https://example.com/articles/long-read without its tracking\n',
    });
  });

  test('a file is offered with @', async () => {
    const path = inFile('tickets.csv', TICKETS);
    const ran = await run(['access', path, '--product', 'premium', '--sandbox']);
    expect(ran.stderr).toBe(`error: ${path} is a file\n  for the readers in it, type @${path}\n`);
  });

  test('a word of several that names nothing is rejected, and one reader is asked for where only one can be', async () => {
    const extra = await run(['access', 'a@example.com', 'extra', '--product', 'p', '--sandbox']);
    expect(extra.stderr.split('\n')[0]).toBe('error: word 2 is neither an e-mail address nor a page');
    const two = await run(['products', 'a@example.com, b@example.com', '--sandbox']);
    expect(two.stderr).toContain('has 2 addresses, and this command accepts one');
    const order = await run(['purchases', '#100442', '--sandbox']);
    expect(order.stderr).toContain('error: the order number 100442 names no reader');
  });
});

test('the total of a product is that of all readers asked', () => {
  const summary = new ListSummary();
  summary.add([{ name: 'premium', reason: undefined }]);
  for (let count = 0; count < 40; count += 1) summary.add([{ name: null, reason: 'no_product' }]);
  expect(summary.sentences({ lines: 41, invalid: 0 }, ENGLISH)[0]).toBe(
    'premium: 1 of 41 readers with access',
  );
});
