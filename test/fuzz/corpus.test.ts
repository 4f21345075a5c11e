import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FuzzTarget } from './targets/target.ts';

const at = (folder: string) => fileURLToPath(new URL(folder, import.meta.url));
const names = readdirSync(at('targets'))
  .map(file => basename(file, '.ts'))
  .filter(name => name !== 'target');

test.each(names)('the %s reader accepts or rejects every input in the corpus', async name => {
  const { target }: { target: FuzzTarget } = await import(`./targets/${name}.ts`);
  const corpus: string[] = JSON.parse(readFileSync(join(at('corpus'), `${name}.json`), 'utf8'));
  expect(corpus.length).toBeGreaterThan(1);
  for (const text of corpus) {
    const input = Buffer.from(text, 'latin1');
    await expect((async () => target.run(input))(), JSON.stringify(text)).resolves.toBeUndefined();
  }
});
