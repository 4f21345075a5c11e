/** The section of a version, without its heading. Throws where the changelog has none, or an empty one. */
export function notesOf(version: string, changelog: string): string;
