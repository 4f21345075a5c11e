const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN))$/i;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

interface Family {
  readonly type: string;
  readonly samples: Map<string, number>;
}

/** Reads the text format as strictly as Prometheus does: https://prometheus.io/docs/instrumenting/exposition_formats */
export function parsePrometheus(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  if (text === '') return families;
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let current: { readonly name: string; hasType: boolean } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ([^\n]+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`${name} is there twice`);
      if (!/^(?:[^\\]|\\[\\n])+$/.test(rest)) throw new Error(`the help of ${name} is not escaped`);
      families.set(name, { type: '', samples: new Map() });
      current = { name, hasType: false };
    } else if (keyword === 'TYPE') {
      if (current?.name !== name || current.hasType) throw new Error(`the type of ${name} is elsewhere`);
      if (rest === 'counter' && !name.endsWith('_total')) throw new Error(`${name} is a counter`);
      if (rest !== 'counter' && name.endsWith('_total')) throw new Error(`${name} is no counter`);
      families.set(name, { type: rest, samples: new Map() });
      current.hasType = true;
    } else {
      const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (sample === undefined || sample !== current?.name || !current.hasType)
        throw new Error(`unexpected line: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, label, text = '']) => [
        label,
        text.replaceAll(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character)),
      ]);
      if (new Set(pairs.map(([label]) => label)).size < pairs.length) throw new Error(`labels of ${line}`);
      const key = JSON.stringify(Object.fromEntries(pairs));
      const { samples } = families.get(sample) as Family;
      if (samples.has(key)) throw new Error(`${line} is there twice`);
      samples.set(key, value === '+Inf' ? Infinity : value === '-Inf' ? -Infinity : Number(value));
    }
  }
  return families;
}
