import { readCurlCommand } from '../../../src/migrate/curl-command.ts';
import type { FuzzTarget } from './target.ts';

/** Any text is a curl command or is rejected with a reason. */
export const target: FuzzTarget = {
  dictionary: [
    ...[
      'curl ',
      '-X POST ',
      '-d ',
      '--data-raw ',
      '--json ',
      '-H ',
      '--url ',
      "'",
      '"',
      '\\\n',
      "$'",
      '$(date)',
      '$A',
    ],
    ...[
      '`',
      '|',
      '&&',
      ';',
      '>',
      '<<EOF\n',
      'EOF\n',
      '#',
      '@file',
      '{"StartDate":"2026-03-01"}',
      '--',
      '-G ',
    ],
    "'https://gateway.example.com/bdaservices/getdata/?reportName=Pages&developerKey=k'",
  ],
  run(input) {
    readCurlCommand(Buffer.from(input).toString());
  },
};
