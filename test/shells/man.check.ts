import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { describeWith } from './programs.ts';

const MAN = fileURLToPath(new URL('../../man', import.meta.url));
const pages = readdirSync(MAN);
const env = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat' };
/** What a terminal would show, without bold and underline. */
const plain = (text: string) => text.replace(/.\u0008/gu, '');

describeWith(['mandoc'], 'mandoc', () => {
  test('reports no problems in any page, including style', async () => {
    const { exitCode, stdout } = await execa('mandoc', ['-T', 'lint', ...pages], { cwd: MAN, reject: false });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  });

  test('shows every page', async () => {
    for (const page of pages) {
      const { stdout } = await execa('mandoc', ['-T', 'utf8', '-O', 'width=80', page], { cwd: MAN });
      expect(plain(stdout)).toContain(page.replace(/\.\d$/, ''));
    }
  });
});

describeWith(['man', 'groff'], 'man', () => {
  test.each(pages)('shows %s without a warning', async page => {
    const { stdout, stderr } = await execa('man', ['--warnings=w', '-l', page], { cwd: MAN, env });
    expect(stderr).toBe('');
    const shown = plain(stdout);
    expect(shown).toMatch(/^NAME\n +gatectl/m);
    expect(shown).toMatch(/^SEE ALSO$/m);
    expect(shown).toContain(page.replace(/\.\d$/, ''));
  });

  test('shows commands as they are typed', async () => {
    const { stdout } = await execa('man', ['-l', 'gatectl-bda-query.1'], { cwd: MAN, env });
    expect(plain(stdout)).toContain("--filter 'visits>100'");
    expect(plain(stdout)).toMatch(/^ +-d, --dimension <columns>$/m);
  });
});
