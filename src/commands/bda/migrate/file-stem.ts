const LONGEST = 60;

/** Words as the name of a file: lower-case letters, digits and hyphens. */
export function fileStem(...words: readonly (string | undefined)[]): string {
  const text = words.filter(word => word !== undefined && word !== '').join('-');
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return (
    [...plain]
      .slice(0, LONGEST)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || 'query'
  );
}

/** The stems, each once: a later one that is the same gets a number. */
export function distinctStems(stems: readonly string[]): string[] {
  const used = new Set<string>();
  return stems.map(stem => {
    let name = stem;
    for (let copy = 2; used.has(name); copy += 1) name = `${stem}-${copy}`;
    used.add(name);
    return name;
  });
}
