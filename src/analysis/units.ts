/** Units without meaning for a reader. */
const PLAIN_UNIT = /^(count|number|none|)$/i;

/** The unit to show next to the name of a figure; undefined for none. */
export function shownUnit(unit: string | undefined): string | undefined {
  return unit === undefined || PLAIN_UNIT.test(unit) ? undefined : unit;
}
