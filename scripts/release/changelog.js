/** The section of a version, without its heading. Throws where the changelog has none, or an empty one. */
export function notesOf(version, changelog) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(text => text.split(/\s/)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);
  const notes = section.slice(section.indexOf('\n') + 1).trim();
  if (notes === '') throw new Error(`the section "## ${version}" of CHANGELOG.md is empty`);
  return `${notes}\n`;
}

/** The versions that were released, newest first. */
export function releasedVersions(changelog) {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+\S*) - /gm)].map(([, version]) => version);
}
