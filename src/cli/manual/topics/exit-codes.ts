import { EXIT, EXIT_CODES } from '../../exit-codes.ts';
import { commands, heading, type Topic, text } from '../topic.ts';

const names = Object.keys(EXIT) as (keyof typeof EXIT)[];

export const exitCodes: Topic = {
  name: 'exit-codes',
  summary: 'exit codes and their meaning',
  blocks: [
    { kind: 'terms', terms: names.map(name => ({ term: String(EXIT[name]), means: EXIT_CODES[name] })) },
    text(
      'If the reader of a pipe closes it, as head does, the command exits 0 without an error. A closed stdout (>&-) behaves like /dev/null, which Node opens in its place. `gatectl help errors` lists the error codes that -o json prints.',
    ),
    heading('for example'),
    commands(
      'gatectl access "$EMAIL" --product premium --exit-code --quiet >/dev/null; [ $? -eq 3 ] && ask_to_subscribe',
      'gatectl cdn purge @urls.txt --failed-file again.txt || gatectl cdn purge @again.txt',
    ),
  ],
};
