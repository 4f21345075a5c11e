import { cannotCombine } from '../../errors/usage.ts';
import { flagName, isTyped, type Option, type Options, type ValuesOf } from './define-command.ts';

/** A mode of a command. */
interface Mode {
  /** What selects it, as messages name it. */
  readonly label: string;
  /** The heading under which help lists the flags that only this mode has. */
  readonly group?: string;
  /** What to type instead of a flag that it does not have. */
  readonly instead?: string;
}

/**
 * The modes of a command, and the table of which flags belong to which. The groups of help and the errors come from it; a flag that is
 * not in the table belongs to all modes.
 */
export class Modes<Name extends string, O extends Options> {
  /** The options, with the groups of flags that belong to one mode. */
  readonly options: O;
  readonly #modes: Readonly<Record<Name, Mode>>;
  readonly #table: { readonly [Flag in keyof O]?: readonly Name[] };

  constructor(
    modes: Readonly<Record<Name, Mode>>,
    options: O,
    table: { readonly [Flag in keyof O]?: readonly Name[] },
  ) {
    this.#modes = modes;
    this.#table = table;
    this.options = Object.fromEntries(
      Object.entries(options).map(([flag, option]) => {
        const [only, ...others] = table[flag] ?? [];
        const group = only === undefined || others.length > 0 ? undefined : modes[only].group;
        return [flag, group === undefined ? option : { ...option, group }];
      }),
    ) as O;
  }

  /** Whether a flag belongs to a mode. */
  has(mode: Name, flag: keyof O): boolean {
    return this.#table[flag]?.includes(mode) ?? true;
  }

  /** Throws UsageError for a flag that does not belong to a mode, which `label` names. */
  assertApplies(
    mode: Name,
    values: ValuesOf<O>,
    {
      label = this.#modes[mode].label,
      ignoring = [],
    }: { label?: string; ignoring?: readonly (keyof O)[] } = {},
  ): void {
    const flag = Object.keys(this.options).find(
      each => !ignoring.includes(each) && !this.has(mode, each) && this.isTyped(each, values),
    );
    if (flag === undefined) return;
    const name = this.nameOf(flag);
    const owners = this.#table[flag]?.map(each => this.#modes[each].label).join(', ');
    throw cannotCombine(
      `${label} and ${name}`,
      this.#modes[mode].instead ?? `remove ${name}: it applies to ${owners}`,
    );
  }

  /** The long name of a flag. */
  nameOf(flag: keyof O): string {
    return flagName(this.#option(flag).flags);
  }

  isTyped(flag: keyof O, values: Partial<ValuesOf<O>>): boolean {
    return isTyped(this.#option(flag), values[flag]);
  }

  #option(flag: keyof O): Option<unknown> {
    return this.options[flag] as Option<unknown>;
  }
}
