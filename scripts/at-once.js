// Runs npm scripts at once, such as types, lint and the build, which keep one core busy for most of their time each. Prints what each
// one printed when it has ended, and fails if one of them does.
//
//   node scripts/at-once.js check:types check:lint build
//   node scripts/at-once.js test:fuzz 'test:simulation -- --planted'
import { spawn } from 'node:child_process';

const codes = await Promise.all(process.argv.slice(2).map(name => runScript(name)));
process.exitCode = codes.find(code => code !== 0) ?? 0;

/** Runs a script, with the arguments that follow its name. */
function runScript(name) {
  const child = spawn('npm', ['run', '--silent', ...name.split(' ')], {
    shell: process.platform === 'win32',
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      process.stdout.write(`> ${name}${code === 0 ? '' : ' failed'}\n${Buffer.concat(chunks)}`);
      resolve(code ?? 1);
    });
  });
}
