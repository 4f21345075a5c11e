/**
 * The text of `gatectl --help` without the width of a terminal. The build replaces this module by one that contains the text, so that
 * help requires neither the parser nor the outline.
 */
export async function rootHelp(): Promise<string> {
  const [{ CommandLine }, { outline }] = await Promise.all([import('./parser.ts'), import('./outline.ts')]);
  return await new CommandLine(outline, undefined).help([]);
}
