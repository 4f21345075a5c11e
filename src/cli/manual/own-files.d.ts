/** Texts that are installed with gatectl, see scripts/build/own-files.js. */
declare module 'virtual:own-files' {
  /** The text of a file of the package, such as `docs/install.md`. */
  export function readOwnFile(path: string): string;
}
