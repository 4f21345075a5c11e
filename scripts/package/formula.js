// Fills in packaging/gatectl.rb.template for the tarball that `npm run release:files` has made:
// npm run package:formula -- --url URL-OF-THE-TARBALL --homepage URL
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { url: { type: 'string' }, homepage: { type: 'string' } } });
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tarball = join('release', `gatectl-${version}.tgz`);
if (!existsSync(tarball)) throw new Error('the tarball is missing: run npm run release:files first');
const url = httpsUrl('--url', values.url);
const filled = {
  URL: url,
  HOMEPAGE: httpsUrl('--homepage', values.homepage),
  SHA256: createHash('sha256').update(readFileSync(tarball)).digest('hex'),
};
// Homebrew reads the version from the name of the tarball.
if (!url.endsWith(`gatectl-${version}.tgz`)) throw new Error(`--url does not end in gatectl-${version}.tgz`);
const template = readFileSync('packaging/gatectl.rb.template', 'utf8');
const formula = template.replace(/@([A-Z0-9]+)@/g, (_, name) => filled[name]);
const file = join('release', 'gatectl.rb');
writeFileSync(file, formula);
process.stdout.write(`homebrew formula: ${file}\n`);

/** Where it is published is nobody's to guess. A quote would end the text of the formula. */
function httpsUrl(name, text) {
  if (text === undefined) throw new Error(`${name} is missing`);
  const { protocol, href } = new URL(text);
  if (protocol !== 'https:') throw new Error(`${name} is not an https URL`);
  return href.replaceAll('"', '%22').replaceAll('#', '%23');
}
