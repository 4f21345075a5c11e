/** A whole number for people, with a comma between thousands. Loads no tables of any language, which takes some milliseconds. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** How many there are: `1 row`, `1,200 rows`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;
}
