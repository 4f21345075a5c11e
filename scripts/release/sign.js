// Signs release/SHA256SUMS with minisign, and verifies the signature as users do, with the public key of the repository:
// npm run release:sign -- --key FILE. minisign prompts for the password of the secret key, unless it has none.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PUBLIC_KEY = 'packaging/minisign.pub';
const SUMS = join('release', 'SHA256SUMS');

const { values } = parseArgs({ options: { key: { type: 'string' } } });
if (values.key === undefined) throw new Error('--key is missing: the file of the secret key');
if (!existsSync(SUMS)) throw new Error(`${SUMS} is missing: run npm run release:files first`);
if (!existsSync(PUBLIC_KEY))
  throw new Error(`${PUBLIC_KEY} is missing: see "Publish for the first time" in RELEASING.md`);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
/** @type {import('node:child_process').ExecFileSyncOptions} */
const options = { stdio: ['inherit', 'ignore', 'inherit'] };
execFileSync('minisign', ['-S', '-s', values.key, '-t', `gatectl ${version}`, '-m', SUMS], options);
execFileSync('minisign', ['-V', '-q', '-p', PUBLIC_KEY, '-m', SUMS], options);
process.stdout.write(`release signature: ${SUMS}.minisig, verified with ${PUBLIC_KEY}\n`);
