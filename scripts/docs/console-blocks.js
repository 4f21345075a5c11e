// Documentation pages show commands with their output in `console` blocks. They are run as a reader types them on a machine that is new to
// gatectl: in order, in one empty folder per page, which is the home folder too, with no variable set.
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';

const BLOCK = /^```console\n(.*?)^```/gms;
/** A command after `$ `, continued by a backslash at the end of a line, and its output up to the next command. */
const COMMAND = /^\$ ((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*?)(?=^\$ |(?![\s\S]))/gm;

/** The commands of a page, in order, each with the output that the page shows. */
export function commandsOf(page) {
  return [...page.matchAll(BLOCK)].flatMap(([, block = '']) =>
    [...block.matchAll(COMMAND)].map(([, command = '', output = '']) => ({ command, output })),
  );
}

/** The page with the output of each command replaced by the next one of `outputs`. */
export function withOutputs(page, outputs) {
  const rest = [...outputs];
  return page.replace(
    BLOCK,
    (_, block) =>
      `\`\`\`console\n${block.replace(COMMAND, (_, command) => `$ ${command}\n${rest.shift()}`)}\`\`\``,
  );
}

/** The pictures of a page that its commands make: each with the file that a command writes. */
export function picturesOf(page) {
  const paths = [...page.matchAll(/!\[[^\]]*\]\((pictures\/[\w-]+\.svg)\)/g)].map(([, path]) => path);
  return [...new Set(paths)].map(path => ({ path, made: basename(path) }));
}

/** A folder with `gatectl` in it, where the commands of one page are run one after the other. */
export async function openShell() {
  const folder = await mkdtemp(join(tmpdir(), 'gatectl-page-'));
  await symlink(resolve('bin/gatectl.js'), join(folder, 'gatectl'));
  // Some commands use files of the documentation.
  await symlink(resolve('docs'), join(folder, 'docs'));
  return {
    /** What the command prints on stdout and stderr, in one pipe: two would arrive in any order. */
    async run(command) {
      const { stdout } = await execa('sh', ['-c', `exec 2>&1\n${command}`], {
        cwd: folder,
        reject: false,
        extendEnv: false,
        stripFinalNewline: false,
        env: {
          PATH: `${folder}${delimiter}${process.env.PATH}`,
          HOME: folder,
        },
      });
      return stdout;
    },
    /** The text of a file that the commands made; undefined where they made none. */
    read: name => readFile(join(folder, name), 'utf8').catch(() => undefined),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
