import { expect, test } from 'vitest';
import { RowTranscoder } from '../../../src/export/transcode/transcoder.ts';

test('the position includes rows that wait for the sink', () => {
  let handedOn = 0;
  const transcoder = new RowTranscoder({
    format: 'csv',
    columns: ['a'],
    sink: chunk => {
      handedOn += chunk.length;
    },
  });
  transcoder.write(Buffer.from('{"rows":[{"a":1},{"a":2},'));
  expect(transcoder.position).toMatchObject({ rows: 2, bytes: 'a\n1\n2\n'.length });
  expect(handedOn).toBe(0);
  transcoder.write(Buffer.from('{"a":3}]}'));
  transcoder.endPage();
  expect(transcoder.position).toMatchObject({ rows: 3, bytes: handedOn });
});
