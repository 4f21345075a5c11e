import { deleteAlias, setAlias } from '../config/alias-store.ts';
import { readAliases } from '../config/config-file.ts';
import { boolean, defineCommand, type Group, required } from './framework/define-command.ts';
import { listOf, NOTHING } from './framework/output-schema.ts';
import { storeOptions } from './framework/profile-store.ts';
import { rejectKeys } from './framework/reject-keys.ts';

const NAME = required('name', 'the alias', { completes: 'alias' });

export const set = defineCommand({
  name: 'set',
  effect: 'read',
  summary: 'give a command line a short name',
  description:
    'Stores a short name for a command and its flags, written without gatectl and in single quotes. $1, $2 … are replaced with the arguments after the alias, $@ with the remaining ones, which are appended without $@. An alias cannot override a command or use another alias. gatectl --help lists the aliases.',
  arguments: {
    name: NAME,
    expansion: required('expansion', "command and flags, such as 'cdn purge --file $1'"),
  },
  options: { replace: boolean('--replace', 'overwrite an alias of the same name') },
  examples: {
    "gatectl alias set may 'access $1 --product premium'": 'gatectl may ana@example.com',
    "gatectl alias set top 'bda query --data-set pageview -m visits --sort visits:desc --limit 10 -d $1'":
      'gatectl top country --last 7d',
  },
  output: NOTHING,
  async run(input, context) {
    rejectKeys(input.expansion, { what: 'the expansion', where: 'which alias list would print' }, context);
    await setAlias(storeOptions(context), input, context.commandNames);
    context.log.note(`${input.name} now expands to: ${input.expansion}`);
  },
});

export const list = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the aliases',
  options: {},
  examples: { 'gatectl alias list': 'list the aliases' },
  output: listOf({
    alias: ['string', 'the short name'],
    expansion: ['string', 'command and flags'],
  }),
  async run(_, context) {
    const aliases = await readAliases(context.io);
    await context.out.print(
      [...aliases].map(([alias, expansion]) => ({ alias, expansion })),
      {
        columns: [
          { key: 'alias', title: 'Alias', kind: 'text' },
          { key: 'expansion', title: 'Stands for', kind: 'text' },
        ],
        empty: "no alias yet; store one with: gatectl alias set NAME 'COMMAND …'",
      },
    );
  },
});

export const remove = defineCommand({
  name: 'delete',
  effect: 'read',
  summary: 'delete an alias',
  arguments: { name: NAME },
  options: {},
  examples: { 'gatectl alias delete may': 'delete an alias' },
  output: NOTHING,
  async run({ name }, context) {
    await deleteAlias(storeOptions(context), name);
    context.log.note(`deleted the alias ${name}`);
  },
});

export const aliasGroup: Group = {
  name: 'alias',
  summary: 'manage short names for command lines',
  commands: [set, list, remove],
};
