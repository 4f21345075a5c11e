import { BUILT_IN_LANGUAGES } from '../../apis/subscriptions/languages.ts';
import { PLACEHOLDERS } from '../../apis/subscriptions/replies/reply.ts';
import { SITUATIONS, type Situation } from '../../apis/subscriptions/situation.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import { unknownName } from '../../errors/usage.ts';
import {
  languagesIn,
  nearestTemplate,
  type ReplyTemplate,
  removeTemplate,
  replyTemplate,
  saveTemplate,
  textToEdit,
} from '../../operations/access/reply-templates.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand, type Group, required, string } from '../framework/define-command.ts';
import { inputName, readInput } from '../framework/json-input.ts';
import { listOf, NOTHING, object } from '../framework/output-schema.ts';
import { LANGUAGE_FLAG, languageNamed } from '../framework/reader-flags.ts';

const NAME = {
  name: required('name', 'situation of the reply, as in gatectl reply list', { completes: SITUATIONS }),
};
const OUTPUT = {
  name: ['string', 'the situation: a decision or reason code'],
  language: ['string', 'its language'],
  changed: ['boolean', 'whether it differs from the built-in reply'],
  text: ['string', 'the template'],
} as const;

export const list = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list reply templates',
  options: {
    language: string('--language <code>', 'only this language', { completes: BUILT_IN_LANGUAGES }),
  },
  examples: { 'gatectl reply list --language de': 'all replies in German' },
  output: listOf(OUTPUT),
  async run({ language }, context) {
    const languages = language === undefined ? await languagesIn(context.io) : [languageNamed(language)];
    const rows: ReturnType<typeof rowOf>[] = [];
    for (const each of languages)
      for (const situation of SITUATIONS) {
        const template = await existing(situation, each, context);
        if (template !== undefined) rows.push(rowOf(template));
      }
    await context.out.print(rows, {
      columns: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'language', title: 'Language', kind: 'text' },
        { key: 'changed', title: 'Changed', kind: 'text' },
      ],
      empty: 'no reply in this language',
    });
  },
});

export const show = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'print a reply template',
  arguments: NAME,
  options: { language: LANGUAGE_FLAG },
  examples: { 'gatectl reply show suspended --language de': 'the reply to readers on hold' },
  output: object(OUTPUT),
  async run({ name, language }, context) {
    const template = await nearestTemplate(situationNamed(name), languageNamed(language), context.io);
    await printTemplate(template, context);
  },
});

export const edit = defineCommand({
  name: 'edit',
  effect: 'read',
  summary: 'change a reply template',
  description: `Opens the template in your editor (VISUAL, EDITOR), or takes its text from --file. ${Object.entries(
    PLACEHOLDERS,
  )
    .map(([word, what]) => `{${word}} is replaced by ${what}`)
    .join(
      ', and ',
    )}. The templates are text files below the folder of gatectl profile path, in replies/LANGUAGE; a team shares them by copying this folder.`,
  arguments: NAME,
  options: {
    language: LANGUAGE_FLAG,
    file: string('--file <file>', 'read the text from this file (- for stdin) instead of an editor'),
  },
  examples: {
    'gatectl reply edit suspended': 'in your editor',
    'gatectl reply edit suspended --language nl --file suspended-nl.txt':
      'in a language without built-in replies',
  },
  output: NOTHING,
  async run({ name, language: code, file }, context) {
    const situation = situationNamed(name);
    const language = languageNamed(code);
    const save = async (text: string) => {
      const path = await saveTemplate(situation, language, text, context.io);
      context.log.info(`saved ${path}`);
    };
    if (file !== undefined) {
      const text = await readInput(file, context);
      context.log.note(`read the reply from ${inputName(file)}`);
      return await save(text.replaceAll('\r\n', '\n'));
    }
    const { editText } = await import('./editor.ts');
    const current = await textToEdit(situation, language, context.io);
    await editText(
      current,
      async text => {
        if (text === current) context.log.info('the reply is unchanged');
        else await save(text);
      },
      context,
    );
  },
});

export const reset = defineCommand({
  name: 'reset',
  effect: 'read',
  summary: 'restore a built-in reply template',
  arguments: NAME,
  options: { language: LANGUAGE_FLAG },
  examples: { 'gatectl reply reset suspended': 'the English one' },
  output: NOTHING,
  async run({ name, language: code }, context) {
    const language = languageNamed(code);
    const removed = await removeTemplate(situationNamed(name), language, context.io);
    context.log.info(removed ? `restored ${name} in ${language}` : `${name} in ${language} was not changed`);
  },
});

export const replyGroup: Group = {
  name: 'reply',
  summary: 'manage the reply templates of gatectl reader --reply',
  commands: [list, show, edit, reset],
};

/** The situation of that name. Throws UsageError. */
function situationNamed(name: string): Situation {
  const found = SITUATIONS.find(each => each === name);
  if (found !== undefined) return found;
  const meant = nearest(name, SITUATIONS);
  throw unknownName(
    `there is no reply ${name}`,
    meant === undefined ? `replies: ${SITUATIONS.join(', ')}` : `did you mean ${meant}?`,
  );
}

function rowOf({ situation, language, text, path }: ReplyTemplate) {
  return { name: situation, language, changed: path !== undefined, text };
}

async function printTemplate(template: ReplyTemplate, context: Context): Promise<void> {
  const { value: format } = (await context.settings()).output;
  if (format === 'table' && context.globals.jq === undefined) await context.out.printText(template.text);
  else await context.out.print(rowOf(template));
}

/** Undefined for a reply that does not exist in a language. */
async function existing(
  situation: ReplyTemplate['situation'],
  language: string,
  context: Context,
): Promise<ReplyTemplate | undefined> {
  try {
    return await replyTemplate(situation, language, context.io);
  } catch (error) {
    if (error instanceof UsageError && error.code === 'unknown_name') return undefined;
    throw error;
  }
}
