import fc from 'fast-check';
import { expect, test } from 'vitest';
import { powershellText } from '../../../src/cli/completion/powershell-text.ts';

test('a name for PowerShell is one literal, with all its quotes doubled', () => {
  const name = fc.string({ unit: fc.constantFrom(...'ab $`\'"‘’‚‛“”;|&(){}<>@#,-') });
  fc.assert(
    fc.property(name, name => {
      const text = powershellText(name, false) ?? '';
      if (/^[\w./:=+-][\w./:=%+-]*$/.test(text)) expect(text).toBe(name);
      else {
        expect(text).toMatch(/^'(?:[^'‘’‚‛]|(['‘’‚‛])\1)*'$/s);
        expect(text.slice(1, -1).replace(/(['‘’‚‛])\1/g, '$1')).toBe(name);
      }
    }),
  );
});

test('after an open quote a name is inserted only if it is harmless in every quoting', () => {
  expect(powershellText('Mobile readers', true)).toBe("'Mobile readers'");
  for (const name of ['$(x)', 'a`b', "it's", 'a"b', 'a“b', 'a;b', 'a|b', '@a', '{a}', '(a)'])
    expect(powershellText(name, true)).toBeUndefined();
});
