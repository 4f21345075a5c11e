import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
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
