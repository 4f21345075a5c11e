import { EXIT, EXIT_CODES } from '../../exit-codes.ts';
import { commands, heading, type Topic, text } from '../topic.ts';

const names = Object.keys(EXIT) as (keyof typeof EXIT)[];

export const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'what a script can tell from the exit code',
  blocks: [
    { kind: 'terms', terms: names.map(name => ({ term: String(EXIT[name]), means: EXIT_CODES[name] })) },
    text(
      'A reader that closes the pipe, as head does, ends a command quietly with 0. A stdout that is closed (>&-) counts as /dev/null: Node puts that in its place, and nobody can tell them apart. `gatectl help errors` lists the error codes that -o json prints.',
    ),
    heading('for example'),
    commands(
      'gatectl access "$EMAIL" --product premium --exit-code --quiet >/dev/null; [ $? -eq 3 ] && ask_to_subscribe',
      'gatectl cdn purge @urls.txt --failed-file again.txt || gatectl cdn purge @again.txt',
    ),
  ],
};
