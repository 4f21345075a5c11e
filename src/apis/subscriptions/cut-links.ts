/** The keys of a reader's items that a link names which was cut at the end of a line: they begin with `joined`, which has the next word. */
export function wholePages(joined: string, held: readonly string[]): string[] {
  return held.filter(key => key.startsWith(joined)).sort((one, other) => one.length - other.length);
}

/** The shortest held key that begins with a cut one, inside a segment of its path; undefined if none does. */
export function continuation(cut: string, held: readonly string[]): string | undefined {
  const begin = cut.replace(/=$/, '');
  const isLonger = (key: string) => /^[^/?#]/.test(key.slice(begin.length));
  return /[/?#]$/.test(begin) ? undefined : wholePages(begin, held).find(isLonger);
}
