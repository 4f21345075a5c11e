import { describe, expect, test } from 'vitest';
import { JqError, runJq } from '../../src/output/jq.ts';

describe('--jq', () => {
  test('keeps digits and prints strings bare, a result a line', async () => {
    const text = '{"a":12345678901234567890,"b":"x y","c":[1.10,{"d":0.30}],"e":null}';
    expect(await runJq(text, '.a, .b, .c, .e')).toBe('12345678901234567890\nx y\n[1.10,{"d":0.30}]\nnull\n');
  });

  test('keeps blanks and line breaks at the ends of strings', async () => {
    expect(await runJq('{"a":"  x\\n "}', '.a, "y", ""')).toBe('  x\n \ny\n\n');
  });

  test('without a result prints nothing', async () => {
    expect(await runJq('[]', '.[]')).toBe('');
  });

  test('reports the message of jq for an invalid expression', async () => {
    const failure = runJq('{}', '.a |');
    await expect(failure).rejects.toThrow(JqError);
    await expect(failure).rejects.toThrow(/^syntax error, unexpected end of file/);
  });

  test('fails on data that the expression cannot handle, also after some results', async () => {
    await expect(runJq('{"a":1}', '.a.b')).rejects.toThrow('Cannot index number');
    await expect(runJq('[1,2]', '.[] | if . == 2 then error("two") else . end')).rejects.toThrow('two');
    await expect(runJq('{}', 'halt_error')).rejects.toThrow(JqError);
  });

  test('an expression that starts with a minus is not an option', async () => {
    expect(await runJq('{"n":2}', '-.n')).toBe('-2\n');
    await expect(runJq('{}', '--help')).rejects.toThrow(JqError);
  });

  test('reads half a surrogate pair; complete pairs and backslashes are unchanged', async () => {
    expect(await runJq('["\\ud800","\\ud83d\\ude00","\\\\ud800","\\udc00x"]', '.[]')).toBe(
      '\ufffd\n😀\n\\ud800\n\ufffdx\n',
    );
  });

  test('reads megabytes, and works again after a failure', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'x'.repeat(60) }));
    await expect(runJq('{', '.')).rejects.toThrow(JqError);
    expect(await runJq(JSON.stringify(rows), 'length, .[-1].i')).toBe('20000\n19999\n');
  });
});
