/** The names of the placeholders in a template. */
export function placeholdersOf(template: string): string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

/** A segment of a path that a browser resolves: . or .., also encoded. */
export const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** A path of a file as the path of a URL: every character that is not allowed there is percent-encoded. */
export function encodedPath(path: string): string {
  return encodedName(path.normalize('NFC'));
}

/** A name as a part of the path of a URL, without another form of its characters. */
export function encodedName(name: string): string {
  return encodeURI(name).replace(/[?#*]/g, character =>
    character === '*' ? '%2A' : encodeURIComponent(character),
  );
}

/** A path or URL as a browser sends it where it was typed with other characters than a URL has; what is encoded already stays as it is. */
export function encodedAsTyped(text: string): string {
  return text.replace(/[^!#-;=?-~]+/g, part =>
    Array.from(
      new TextEncoder().encode(part),
      byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
}
