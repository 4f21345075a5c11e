/** The section of a version, without its heading. Throws where the changelog has none, or an empty one. */
export function notesOf(version: string, changelog: string): string;

/** The versions that were released, newest first. */
export function releasedVersions(changelog: string): string[];
