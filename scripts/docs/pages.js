// Runs the commands that documentation pages show, and compares the pictures that they draw. With --update, writes what they print and
// draw into the pages; otherwise fails where a page shows anything else. Pages are named on the command line; default: all those with console blocks.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { commandsOf, openShell, picturesOf, withOutputs } from './console-blocks.js';
import { drawRecordings } from './recordings.js';

const given = process.argv.slice(2);
const update = given.includes('--update');
const named = given.filter(word => word !== '--update');
const pages = named.length > 0 ? named : await pagesWithCommands();
let stale = 0;
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, checkPages));
if (named.length === 0) await checkRecordings();
process.exitCode = stale > 0 ? 1 : 0;

/** Checks pages until none is left. */
async function checkPages() {
  for (let path = pages.shift(); path !== undefined; path = pages.shift()) await checkPage(path);
}

async function checkPage(path) {
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
  const differing = commands
    .map(({ command, output }, index) => ({ command, output, now: outputs[index] }))
    .filter(({ output, now }) => output !== now);
  if (update && differing.length > 0) await writeFile(path, withOutputs(page, outputs));
  process.stdout.write(
    `${path}: ${commands.length} commands, ${differing.length} ${update ? 'updated' : 'stale'}\n`,
  );
  if (update) return;
  stale += differing.length;
  for (const { command, output, now } of differing)
    process.stdout.write(`\n$ ${command}\n--- the page shows\n${output}--- it prints\n${now}`);
}

/** The pictures of terminals, which no page draws. */
async function checkRecordings() {
  for (const { path, text } of await drawRecordings()) await checkPicture(path, text);
}

/** Counts the pictures that differ from what the commands draw, or writes those. Throws for a picture that no command draws. */
async function checkPictures(path, page, shell) {
  for (const picture of picturesOf(page)) {
    const drawn = await shell.read(picture.made);
    if (drawn === undefined) throw new Error(`${path}: no command draws ${picture.made}`);
    await checkPicture(join(dirname(path), picture.path), drawn);
  }
}

async function checkPicture(file, drawn) {
  const isStale = (await readFile(file, 'utf8').catch(() => '')) !== drawn;
  if (isStale && update) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, drawn);
  } else if (isStale) stale += 1;
  process.stdout.write(`${file}: ${isStale ? (update ? 'updated' : 'stale') : 'as drawn'}\n`);
}

async function pagesWithCommands() {
  const names = (await readdir('docs', { recursive: true })).filter(name => name.endsWith('.md'));
  const paths = ['README.md', ...names.sort().map(name => join('docs', name))];
  const texts = await Promise.all(paths.map(path => readFile(path, 'utf8')));
  return paths.filter((_, index) => commandsOf(texts[index] ?? '').length > 0);
}
