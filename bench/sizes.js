// Sizes of clients in a bundle, each built the same way by esbuild: node bench/sizes.js. Prints the table of docs/performance.md.
// It installs gatectl as a tarball, and the others, outside of this workspace; run `npm run build` first.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What a program imports to send requests; and the class of its errors, where that can be imported by itself. */
const CLIENTS = [
  { name: 'gatectl/client', path: 'gatectl/client', client: 'Gateway', error: 'GatectlError' },
  { name: 'gatectl/client/web', path: 'gatectl/client/web', client: 'Gateway', error: 'GatectlError' },
  { name: 'stripe 23.1.0', path: 'stripe', client: 'Stripe' },
  { name: 'openai 6.49.0', path: 'openai', client: 'OpenAI', error: 'APIError' },
  { name: 'octokit 5.0.5', path: 'octokit', client: 'Octokit', error: 'RequestError' },
  {
    name: '@aws-sdk/client-s3 3.1169.0',
    path: '@aws-sdk/client-s3',
    client: 'S3Client',
    error: 'S3ServiceException',
  },
];
const PEERS = ['stripe@23.1.0', 'openai@6.49.0', 'octokit@5.0.5', '@aws-sdk/client-s3@3.1169.0'];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-sizes-'));
try {
  const npm = (words, cwd) =>
    execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd()),
  );
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  npm(
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, packed.filename), ...PEERS],
    folder,
  );
  const lines = [
    '| client | worker, minified | its error class alone | Node, no flags |',
    '| --- | --- | --- | --- |',
  ];
  for (const { name, path, client, error } of CLIENTS) {
    const worker = { minify: true, platform: 'browser', format: 'esm', conditions: ['workerd', 'worker'] };
    const sizes = [
      await sizeOf(path, client, worker),
      error === undefined ? '' : await sizeOf(path, error, worker),
      await sizeOf(path, client, { platform: 'node' }),
    ];
    lines.push(`| ${[name, ...sizes].join(' | ')} |`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The size of a bundle of one export, in kB; or that it cannot be built. */
async function sizeOf(path, name, options) {
  try {
    const { outputFiles } = await build({
      stdin: { contents: `import { ${name} } from '${path}'; console.log(${name});`, resolveDir: folder },
      bundle: true,
      write: false,
      logLevel: 'silent',
      ...options,
    });
    return `${(outputFiles[0].contents.length / 1000).toFixed(1)} kB`;
  } catch ({ errors }) {
    return `${errors.length} errors`;
  }
}
