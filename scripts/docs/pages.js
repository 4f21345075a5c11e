// Runs the commands that documentation pages show. With --update, writes what they print into the pages; otherwise fails where a
// page shows anything else. Pages are named on the command line, or all those with console blocks are run.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { commandsOf, openShell, withOutputs } from './console-blocks.js';

const given = process.argv.slice(2);
const update = given.includes('--update');
const named = given.filter(word => word !== '--update');
const pages = named.length > 0 ? named : ['README.md', 'docs/migrate.md', ...(await tutorials())];
let stale = 0;
for (const path of pages) {
  const page = await readFile(path, 'utf8');
  const commands = commandsOf(page);
  const shell = await openShell();
  const outputs = [];
  try {
    for (const { command } of commands) outputs.push(await shell.run(command));
  } finally {
    await shell.close();
  }
  const differing = commands.filter(({ output }, index) => output !== outputs[index]);
  if (update && differing.length > 0) await writeFile(path, withOutputs(page, outputs));
  if (!update) stale += differing.length;
  process.stdout.write(
    `${path}: ${commands.length} commands, ${differing.length} ${update ? 'updated' : 'stale'}\n`,
  );
  if (update) continue;
  for (const { command, output } of differing) {
    const now = outputs[commands.findIndex(shown => shown.command === command)];
    process.stdout.write(`\n$ ${command}\n--- the page shows\n${output}--- it prints\n${now}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

async function tutorials() {
  const names = await readdir('docs/tutorials').catch(() => []);
  return names.filter(name => name.endsWith('.md')).map(name => `docs/tutorials/${name}`);
}
