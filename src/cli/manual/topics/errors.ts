import { errorCodes } from '../../error-codes.ts';
import { commands, heading, type Topic, text } from '../topic.ts';

const entries = errorCodes();
const exits = [...new Set(entries.map(({ exit }) => exit))];

export const errors: Topic = {
  name: 'errors',
  summary: 'error codes and the JSON form of errors',
  blocks: [
    text(
      'With -o json or -o ndjson, an error is one JSON object on stderr: {"error": {"code", "message", "status", "details", "exit", "hints"}}. code is one of the codes listed here; message and hints are for people and may change. status is the HTTP status or null, details lists invalid fields (field, message), exit is the exit code, and hints says what to do next. If a request failed, request is its method and path, with secrets redacted. If the API sent an error code, apiCode contains it.',
    ),
    ...exits.flatMap(exit => [
      heading(`exit code ${exit}`),
      {
        kind: 'terms' as const,
        terms: entries.filter(entry => entry.exit === exit).map(({ code, means }) => ({ term: code, means })),
      },
    ]),
    heading('for example'),
    commands(
      `gatectl bda query --metric visits --last 7d -o json 2>error.json || jq -r .error.code error.json`,
      'gatectl schema | jq .errorCodes',
    ),
  ],
};
