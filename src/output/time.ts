const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Whether a text has the form of a day or a month. */
export function looksLikeDay(text: string): boolean {
  return /^\d{4}-\d\d(-\d\d)?$/.test(text);
}

/** Whether a text begins with a day or a month. */
export function startsWithDay(text: string): boolean {
  return /^\d{4}-\d\d(?!\d)/.test(text);
}

/** Whether a text has the form of an RFC 3339 time. */
export function looksLikeTime(text: string): boolean {
  return RFC3339.test(text);
}

/** Each locale has short names only for the zones of its region (EST, CEST, AEST, IST …). */
const NAMING_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-ZA'];

/**
 * Formats RFC 3339 times in a time zone: `2031-05-01 02:00 CEST`, with seconds unless they are zero, and with the offset if the zone
 * has no short name. The function returns undefined for other texts. Throws RangeError unless `timeZone` is an IANA name.
 */
export function localTimes(timeZone: string): (text: string) => string | undefined {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const zoneName = zoneNames(timeZone);
  return text => {
    const time = parseTime(text);
    if (time === undefined) return undefined;
    const part = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, value]));
    const day = `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`;
    const seconds = part.second === '00' ? '' : `:${part.second}`;
    const zone = zoneName(time) ?? part.timeZoneName?.replace('GMT', '');
    return `${day} ${part.hour}:${part.minute}${seconds} ${zone}`;
  };
}

function parseTime(text: string): number | undefined {
  const [found, year, month, day] = RFC3339.exec(text) ?? [];
  if (found === undefined || year === '0000') return undefined;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const time = Date.parse(found.toUpperCase());
  return Number(day) <= lastDay && !Number.isNaN(time) ? time : undefined;
}

function zoneNames(timeZone: string): (time: number) => string | undefined {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return time => {
    for (const locale of NAMING_LOCALES) {
      const format =
        formats.get(locale) ?? new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
      formats.set(locale, format);
      const name = format.formatToParts(time).find(part => part.type === 'timeZoneName')?.value;
      if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name;
    }
    return undefined;
  };
}
