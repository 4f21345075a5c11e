import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { InterruptedError } from '../../src/errors/index.ts';
import { LineEditor } from '../../src/terminal/line-editor.ts';

test('questions leave no listeners behind', async () => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const editor = new LineEditor({ stdin, stderr } as never, new AbortController().signal);
  const counts: number[] = [];
  for (let question = 0; question < 3; question += 1) {
    const read = editor.read('? ', false);
    stdin.write(`${question}\r`);
    expect(await read).toBe(String(question));
    counts.push(stdin.listenerCount('end') + stdin.listenerCount('keypress'));
  }
  expect(new Set(counts).size).toBe(1);
});

/** An editor on a terminal that remembers what it was told. */
function opened() {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const modes: boolean[] = [];
  const terminal = Object.assign(stdin, { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const editor = new LineEditor({ stdin: terminal, stderr } as never, new AbortController().signal);
  const printed = () => String(stderr.read() ?? '');
  return { stdin, editor, modes, printed };
}

/** Writes keys, and waits until they were read. */
async function typed(stdin: PassThrough, ...chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    stdin.write(chunk);
    await new Promise(setImmediate);
  }
}

test('lines that are typed between two questions are kept, and the terminal does not show them', async () => {
  const { stdin, editor, modes, printed } = opened();
  const first = editor.read('? ', true);
  await typed(stdin, 'anna@example.com', '\r');
  expect(await first).toBe('anna@example.com');
  await typed(stdin, 'ben@example.com', '\r', 'carla', '\r');
  expect(await editor.read('? ', true)).toBe('ben@example.com');
  expect(await editor.read('? ', true)).toBe('carla');
  expect(modes).toEqual([true]);
  editor.close();
  expect([modes, stdin.listenerCount('end')]).toEqual([[true, false], 0]);
  expect(printed()).not.toMatch(/anna|ben|carla/);
});

test('lines that arrive together are one text, with any line ends', async () => {
  const { stdin, editor } = opened();
  const read = editor.read('? ', false);
  await typed(stdin, 'From: anna@example.com\r\n\r\nHello\r\n');
  expect(await read).toBe('From: anna@example.com\n\nHello');
  const next = editor.read('? ', false);
  await typed(stdin, 'q', '\r');
  expect(await next).toBe('q');
  editor.close();
});

test('Ctrl-C ends work between two questions', async () => {
  const { stdin, editor } = opened();
  const read = editor.read('? ', false);
  await typed(stdin, 'a', '\r');
  await read;
  const work = expect(editor.during(new Promise(() => {}))).rejects.toThrow(InterruptedError);
  await typed(stdin, '\u0003');
  await work;
  expect(await editor.during(Promise.resolve('done'))).toBe('done');
  editor.close();
});

test('the end of the terminal between two questions ends the next one', async () => {
  const { stdin, editor } = opened();
  const read = editor.read('? ', false);
  await typed(stdin, 'a', '\r');
  await read;
  stdin.end();
  await new Promise(setImmediate);
  expect(await editor.read('? ', false)).toBeUndefined();
  editor.close();
});
