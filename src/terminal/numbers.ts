/** An integer with commas between thousands. Does without `Intl`, whose locale tables take milliseconds to load. */
export function groupDigits(integer: number | string): string {
  return String(integer).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A count with its noun: `1 row`, `1,200 rows`. */
export function pluralize(count: number, what: string): string {
  return `${groupDigits(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** A number of bytes in decimal units: 1 kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
