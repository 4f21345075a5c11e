// One run of a bundle in each runtime; returns what the operations return.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** By name: the program that it runs, and how; and whether it runs bundles for Node. `tools` has the runtimes in its node_modules. */
export const RUNTIMES = {
  node: {
    program: 'script',
    isNode: true,
    run: ({ file, gateway }) => printed(process.execPath, [file, ...gateway]),
  },
  bun: {
    program: 'script',
    isNode: true,
    run: ({ file, gateway, tools }) => printed(binaryOf(tools, '@oven', 'bin/bun'), [file, ...gateway]),
  },
  deno: {
    program: 'script',
    isNode: true,
    run: ({ file, gateway, tools }) =>
      printed(binaryOf(tools, '@deno', 'deno'), [
        'run',
        '--no-config',
        '--allow-net',
        '--allow-env',
        file,
        ...gateway,
      ]),
  },
  workerd: { program: 'worker', run: inWorkerd },
  'edge-runtime': { program: 'edge', run: inEdgeRuntime },
};

async function printed(binary, words) {
  const { stdout } = await run(binary, words);
  return JSON.parse(stdout);
}

/** A binary in the one package of a scope that fits this machine. */
function binaryOf(tools, scope, path) {
  const [name] = readdirSync(join(tools, 'node_modules', scope)).filter(each =>
    /^(bun|linux|darwin|workerd)-/.test(each),
  );
  return join(tools, 'node_modules', scope, name, path);
}

async function inWorkerd({ file, gateway, tools }) {
  const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "${basename(file)}")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
  const path = join(dirname(file), `${basename(file)}.capnp`);
  writeFileSync(path, configuration);
  const child = spawn(binaryOf(tools, '@cloudflare', 'bin/workerd'), ['serve', '--control-fd=3', path], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  try {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`workerd ended with ${code}`);
    });
    const [line] = await Promise.race([once(child.stdio[3], 'data'), ended]);
    ended.catch(() => {});
    const { port } = JSON.parse(String(line).split('\n')[0]);
    return await resultsIn(await fetch(urlOf(`http://127.0.0.1:${port}`, gateway)));
  } finally {
    child.kill();
  }
}

async function inEdgeRuntime({ file, gateway, tools }) {
  const { EdgeRuntime } = createRequire(join(tools, 'package.json'))('edge-runtime');
  const runtime = new EdgeRuntime({ initialCode: readFileSync(file, 'utf8') });
  return await resultsIn(await runtime.dispatchFetch(urlOf('http://edge.example', gateway)));
}

function urlOf(origin, [baseUrl, apiKey]) {
  return `${origin}/?${new URLSearchParams({ baseUrl, apiKey })}`;
}

async function resultsIn(response) {
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return JSON.parse(text);
}
