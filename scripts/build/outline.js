// Makes src/cli/root-help.ts anew for the bundle, as a text, and src/cli/completion/table.ts, as JSON. Makes src/cli/outline.ts anew for the bundle: the names and summaries of all commands as plain text, and for each command an
// import of the one module that declares it. To know them it runs the command tree itself.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { PACKAGES } from './packages.js';

const COMMANDS = resolve('src/commands');
const TREE = join(COMMANDS, 'tree.ts');
const ROOT_HELP = resolve('src/cli/root-help.ts');
const COMPLETION = resolve('src/cli/completion/table.ts');

/** A rollup plugin. */
export function outlinePlugin() {
  return {
    name: 'outline',
    async load(id) {
      if (id === ROOT_HELP)
        return `export const rootHelp = async () => ${JSON.stringify((await evaluated()).help)};`;
      if (id === COMPLETION) {
        // As a text, because JSON.parse reads it faster than V8 compiles the same as code.
        const table = JSON.stringify(JSON.stringify((await evaluated()).completion));
        return `let table; export const completionTable = () => (table ??= JSON.parse(${table}));`;
      }
      return id === resolve('src/cli/outline.ts') ? await outlineModule() : null;
    },
  };
}

async function outlineModule() {
  const { tree, modules } = await evaluated();
  const write = command => {
    const parts = [texts(command)];
    if (command.run !== undefined) parts.push(`load: () => ${importOf(command, modules)}`);
    if (command.commands !== undefined) parts.push(`commands: [${command.commands.map(write).join(', ')}]`);
    return `{ ${parts.join(', ')} }`;
  };
  return `export const outline = [${tree.map(write).join(',\n')}];`;
}

function texts({ name, summary, run, description }) {
  const shown = { name, summary, ...(run === undefined && { description }) };
  return JSON.stringify(shown).slice(1, -1);
}

/** The module that exports the command, as code that imports it. */
function importOf(command, modules) {
  for (const [path, exported] of Object.entries(modules)) {
    for (const [name, value] of Object.entries(exported)) {
      // The tree adds subcommands to a command, so that neither's module loads the other.
      if (value?.run !== undefined && value.run === command.run)
        return `import(${JSON.stringify(path)}).then(module => module.${name})`;
    }
  }
  throw new Error(`no module of src/commands exports the command '${command.name}' by name`);
}

/** The tree, and what each module of src/commands exports, by path. */
async function evaluated() {
  const files = (await readdir(COMMANDS, { recursive: true })).filter(name => name.endsWith('.ts')).sort();
  const paths = files.map(name => join(COMMANDS, name));
  const lines = paths.map((path, index) => `import * as m${index} from ${JSON.stringify(path)};`);
  const entries = paths.map((path, index) => `${JSON.stringify(path)}: m${index}`);
  const contents = `${lines.join('\n')}
    export { tree } from ${JSON.stringify(TREE)};
    import { rootHelp } from ${JSON.stringify(ROOT_HELP)};
    import { completionTable } from ${JSON.stringify(COMPLETION)};
    export const help = await rootHelp();
    export const completion = completionTable();
    export const modules = { ${entries.join(', ')} };`;
  const folder = await mkdtemp(join(tmpdir(), 'gatectl-outline-'));
  try {
    const outfile = join(folder, 'tree.mjs');
    await build({
      stdin: { contents, resolveDir: resolve('.'), loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // Libraries are imported late or not at all while the tree is read.
      external: [
        ...PACKAGES,
        'virtual:chart-page-assets',
        'virtual:png-assets',
        'virtual:parquet-thread',
        'virtual:jq-thread',
        'virtual:own-files',
      ],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
