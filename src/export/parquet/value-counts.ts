const PLACES = [
  'PROFILES',
  'PROFILE_BYTES',
  'PROFILE_TEXTS',
  'PROFILE_DAYS',
  'PROFILE_FLAGS',
  'PROFILE_NESTED',
  'PROFILE_NUMBERS',
  'PROFILE_WHOLE',
  'PROFILE_SCALE',
  'PROFILE_FIRST_DAY',
  'PROFILE_LAST_DAY',
  'PROFILE_BARE_SCALE',
] as const;

type Place = (typeof PLACES)[number];

/** Where a kernel stores the counts of kernel/profile.ts. */
export type ProfilePlaces = Readonly<Record<Place, WebAssembly.Global>>;

/**
 * Counts of a column's values by kind, and the maximum digits of its numbers before and after the decimal point, the latter also without
 * trailing zeros.
 */
export interface ValueCounts {
  readonly texts: number;
  readonly days: number;
  readonly flags: number;
  readonly nested: number;
  readonly numbers: number;
  readonly whole: number;
  readonly scale: number;
  readonly bareScale: number;
  /** In days since 1970; meaningless without days. */
  readonly firstDay: number;
  readonly lastDay: number;
}

/** The counts of a column in the memory of a kernel. */
export function countsOf(places: ProfilePlaces, view: DataView, column: number): ValueCounts {
  const place = (name: Place) => Number(places[name].value);
  const at = place('PROFILES') + column * place('PROFILE_BYTES');
  const long = (name: Place) => Number(view.getBigInt64(at + place(name), true));
  const short = (name: Place) => view.getInt32(at + place(name), true);
  return {
    texts: long('PROFILE_TEXTS'),
    days: long('PROFILE_DAYS'),
    flags: long('PROFILE_FLAGS'),
    nested: long('PROFILE_NESTED'),
    numbers: long('PROFILE_NUMBERS'),
    whole: short('PROFILE_WHOLE'),
    scale: short('PROFILE_SCALE'),
    bareScale: short('PROFILE_BARE_SCALE'),
    firstDay: long('PROFILE_FIRST_DAY'),
    lastDay: long('PROFILE_LAST_DAY'),
  };
}
