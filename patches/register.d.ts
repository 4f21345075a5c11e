/** Files that were patched in this process. */
export const patchedFiles: Set<string>;
