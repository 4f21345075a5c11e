/** Maximum length of a server's text in a message. */
const MAX_LENGTH = 500;

/**
 * The beginning of a text from outside, for a message. A word is shown in full or not at all, because a redactor may not recognize
 * half a secret: where one is at hand, redact before you cut.
 */
export function shortened(text: string, length = MAX_LENGTH): string {
  return text.length <= length ? text : `${wholeWords(text.slice(0, length))}…`;
}

/** Removes a word at the end that may be incomplete. */
export function wholeWords(text: string): string {
  return text.replace(/[^\s"{}[\],:<>]*$/, '');
}
