import { BUILT_IN_LANGUAGES, type BuiltInLanguage } from '../../../apis/subscriptions/languages.ts';
import { ENGLISH } from './english.ts';
import type { Words } from './words.ts';

/** The language of answers for a code such as `fr-ca`; undefined where only replies may be in it, with templates of the team. */
export function answerLanguage(code: string): BuiltInLanguage | undefined {
  const [general] = code.toLowerCase().split(/[-_]/);
  return BUILT_IN_LANGUAGES.find(language => language === general);
}

/** The words of a language, or of the one that it is a form of; English for others. */
export async function wordsIn(code: string): Promise<Words> {
  switch (answerLanguage(code)) {
    case 'de':
      return (await import('./german.ts')).GERMAN;
    case 'es':
      return (await import('./spanish.ts')).SPANISH;
    case 'fr':
      return (await import('./french.ts')).FRENCH;
    default:
      return ENGLISH;
  }
}
