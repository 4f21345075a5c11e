// Runs the commands that documentation pages show, and compares the pictures that they draw. With --update, writes what they print and
// draw into the pages; otherwise fails where a page shows anything else. Pages are named on the command line, or all those with console blocks are run.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commandsOf, openShell, picturesOf, withOutputs } from './console-blocks.js';

const given = process.argv.slice(2);
const update = given.includes('--update');
const named = given.filter(word => word !== '--update');
const pages =
  named.length > 0
    ? named
    : [
        'README.md',
        'docs/migrate.md',
        'docs/purge-changes.md',
        'docs/reports.md',
        'docs/sync.md',
        'docs/watch.md',
        ...(await tutorials()),
      ];
let stale = 0;
for (const path of pages) {
  const page = await readFile(path, 'utf8');
  const commands = commandsOf(page);
  const shell = await openShell();
  const outputs = [];
  try {
    for (const { command } of commands) outputs.push(await shell.run(command));
    await checkPictures(path, page, shell);
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

/** Counts the pictures that differ from what the commands draw, or writes those. Throws for a picture that no command draws. */
async function checkPictures(path, page, shell) {
  for (const picture of picturesOf(page)) {
    const drawn = await shell.read(picture.made);
    if (drawn === undefined) throw new Error(`${path}: no command draws ${picture.made}`);
    const file = join(dirname(path), picture.path);
    const isStale = (await readFile(file, 'utf8').catch(() => '')) !== drawn;
    if (isStale && update) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, drawn);
    } else if (isStale) stale += 1;
    process.stdout.write(`${file}: ${isStale ? (update ? 'updated' : 'stale') : 'as drawn'}\n`);
  }
}

async function tutorials() {
  const names = await readdir('docs/tutorials').catch(() => []);
  return names.filter(name => name.endsWith('.md')).map(name => `docs/tutorials/${name}`);
}
