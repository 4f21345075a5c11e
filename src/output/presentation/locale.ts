/** How numbers and dates are written. The words of the output stay English. */
export interface Locale {
  readonly tag: string;
  readonly group: string;
  readonly decimal: string;
}

/** Known without `Intl`, whose tables take milliseconds to load. */
export const ENGLISH: Locale = { tag: 'en', group: ',', decimal: '.' };

type Environment = Readonly<Record<string, string | undefined>>;

/** The locale of a tag such as `de-DE`, or of a value of LANG such as `de_DE.UTF-8`; undefined for anything else. */
export function localeOf(given: string): Locale | undefined {
  const [tag = ''] = given.replaceAll('_', '-').split(/[.@]/);
  if (/^(?:en\b|C$|POSIX$)/i.test(tag)) return ENGLISH;
  try {
    const [known] = Intl.NumberFormat.supportedLocalesOf(tag);
    if (known === undefined) return undefined;
    const parts = new Intl.NumberFormat(known, { numberingSystem: 'latn', useGrouping: true }).formatToParts(
      1_234_567.5,
    );
    const part = (type: string, other: string) => parts.find(found => found.type === type)?.value ?? other;
    return { tag: known, group: part('group', ''), decimal: part('decimal', '.') };
  } catch {
    return undefined;
  }
}

/** The locale of LC_ALL or LANG; English for none and unknown ones. */
export function machineLocale(env: Environment): Locale {
  return localeOf(env.LC_ALL || env.LANG || '') ?? ENGLISH;
}

/** Digits that are grouped as in English, as the locale writes them. Other texts do not change. */
export function regrouped(text: string, { group, decimal }: Locale = ENGLISH): string {
  if (!/^[-\d,.]+$/.test(text)) return text;
  return text.replace(/[,.]/g, mark => (mark === ',' ? group : decimal));
}

/** Digits with `.` and no groups, as the locale writes them. Other texts do not change. */
export function localDigits(digits: string, { group, decimal }: Locale): string {
  const found = /^([-+\u2212]?)(\d+)(?:\.(\d+))?$/.exec(digits);
  if (found === null) return digits;
  const [, sign = '', integer = '', fraction] = found;
  const grouped = integer.replace(/\B(?=(?:\d{3})+$)/g, group);
  return sign + grouped + (fraction === undefined ? '' : decimal + fraction);
}
