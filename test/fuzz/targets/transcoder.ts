import { MalformedResponseError } from '../../../src/export/transcode/json-scanner.ts';
import { RowTranscoder, type TranscoderOptions } from '../../../src/export/transcode/transcoder.ts';
import { expecting, type FuzzTarget, fail } from './target.ts';

const FORMATS: readonly Pick<TranscoderOptions, 'format' | 'dialect'>[] = [
  { format: 'csv' },
  { format: 'csv', dialect: 'excel' },
  { format: 'tsv' },
  { format: 'ndjson' },
  { format: 'json' },
];

interface Outcome {
  readonly text: string;
  readonly fault: string | undefined;
}

function outcome(body: Uint8Array, options: Omit<TranscoderOptions, 'sink'>, size: number): Outcome {
  const chunks: Uint8Array[] = [];
  const fault = expecting([MalformedResponseError], () => {
    const transcoder = new RowTranscoder({ ...options, sink: chunk => chunks.push(chunk) });
    try {
      for (let at = 0; at < body.length; at += size) transcoder.write(body.subarray(at, at + size));
      transcoder.endPage();
      transcoder.end();
    } catch (error) {
      transcoder.flush();
      throw error;
    }
  });
  return { text: Buffer.concat(chunks).toString('latin1'), fault: fault?.message };
}

/**
 * The transcoder gives the same rows and the same fault whatever the chunks: in one chunk rows go through the kernel, byte by byte
 * they do not. The first byte of an input chooses the format and the columns, the second one the size of chunks.
 */
export const target: FuzzTarget = {
  dictionary: [
    ...[
      '{"rows":[',
      '],"total_rows":1}',
      '{"a":',
      '"b":',
      '},',
      'null',
      '[1,',
      '-0',
      '1.0E+3',
      '1e400',
      '"\\u00e9',
    ],
    ...['"\\ud83d', '\\"', '\\n', '\t', ',', '=1+1', '{"rows":[{"a":1,"b":"x"},{"a":2,"b":"y"}]}', '\ufeff'],
  ],
  run(input) {
    const [choice = 0, size = 0] = input;
    const body = input.subarray(2);
    const format = FORMATS[choice % FORMATS.length] ?? { format: 'csv' };
    const options = { ...format, columns: (choice & 128) === 0 ? ['b', 'none', 'a'] : [] };
    const whole = outcome(body, options, Math.max(1, body.length));
    for (const length of [1, size + 2]) {
      const other = outcome(body, options, length);
      if (other.text !== whole.text) fail(`other rows in chunks of ${length} bytes`);
      if (other.fault !== whole.fault)
        fail(`another fault in chunks of ${length} bytes: ${other.fault}, not ${whole.fault}`);
    }
  },
};
