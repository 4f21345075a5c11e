/** Preset groups of readers, most frequent first; also the options of v1 multifilters. */

export const COUNTRIES: readonly (readonly [code: string, name: string])[] = [
  ['US', 'United States'],
  ['GB', 'United Kingdom'],
  ['CA', 'Canada'],
  ['DE', 'Germany'],
  ['IN', 'India'],
  ['AU', 'Australia'],
  ['FR', 'France'],
  ['NL', 'Netherlands'],
  ['ES', 'Spain'],
  ['BR', 'Brazil'],
  ['IT', 'Italy'],
  ['SE', 'Sweden'],
  ['JP', 'Japan'],
  ['MX', 'Mexico'],
  ['PL', 'Poland'],
  ['IE', 'Ireland'],
  ['ZA', 'South Africa'],
  ['NZ', 'New Zealand'],
  ['NO', 'Norway'],
  ['CH', 'Switzerland'],
];

export const DEVICES: readonly (readonly [key: string, name: string])[] = [
  ['mobile', 'Mobile'],
  ['desktop', 'Desktop'],
  ['tablet', 'Tablet'],
];

export const GENDERS: readonly (readonly [key: string, name: string])[] = [
  ['unknown', 'Unknown'],
  ['female', 'Female'],
  ['male', 'Male'],
];

export const SOURCES: readonly string[] = ['search', 'direct', 'social', 'newsletter', 'referral'];

/** How a page was served: the values of the platform field. */
export const PLATFORMS = ['service', 'original'] as const;
export type Platform = (typeof PLATFORMS)[number];
