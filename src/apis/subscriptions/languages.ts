/** The languages of answers and of built-in replies; the texts themselves load only where they are used. */
export const BUILT_IN_LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
export type BuiltInLanguage = (typeof BUILT_IN_LANGUAGES)[number];
