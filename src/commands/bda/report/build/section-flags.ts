import { flagName, type Option } from '../../../framework/define-command.ts';
import { type Field, withPlace } from './yaml-reader.ts';

// biome-ignore lint/suspicious/noExplicitAny: the value type differs per option.
type Options = Readonly<Record<string, Option<any>>>;

/** Flags that select the days: a section that has one ignores those of the defaults. */
const DAYS = ['from', 'to', 'last', 'this', 'previous', 'month', 'period'];

/** The key of a flag in a report: its name without the dashes. */
export function keyOf({ flags }: Pick<Option<unknown>, 'flags'>): string {
  return flagName(flags).slice(2);
}

/** The keys of some options, in their order. */
export function keysOf(options: Options): string[] {
  return Object.values(options).map(keyOf);
}

/** The members of a section, and the defaults for the options that it does not set. */
export function withDefaults(own: readonly Field[], defaults: readonly Field[], options: Options): Field[] {
  const keys = new Set(keysOf(options));
  const set = new Set(own.map(({ key }) => key));
  const hasDays = DAYS.some(key => set.has(key));
  const used = defaults.filter(
    ({ key }) => keys.has(key) && !set.has(key) && !(hasDays && DAYS.includes(key)),
  );
  return [...used, ...own];
}

/** Reads members of a file as the flags of the same names. Throws UsageError with line and column. */
export function flagsFrom(options: Options, fields: readonly Field[]): Record<string, unknown> {
  const values = Object.fromEntries(Object.entries(options).map(([name, { fallback }]) => [name, fallback]));
  for (const { key, keyPlace, value } of fields) {
    const found = Object.entries(options).find(([, option]) => keyOf(option) === key);
    if (found === undefined || value.isEmpty) continue;
    const [name, option] = found;
    if (option.kind === 'switch') values[name] = value.boolean();
    else if (option.kind === 'list')
      values[name] = value.items().map(item => placed(item.place, () => option.read(item.text())));
    else
      values[name] = placed(value.isMap || value.isList ? keyPlace : value.place, () =>
        option.read(value.text()),
      );
  }
  return values;
}

/** Adds the place to the message of an error that has none yet. */
export function placed<Value>(place: string, produce: () => Value): Value {
  try {
    return produce();
  } catch (error) {
    throw withPlace(error, place);
  }
}
