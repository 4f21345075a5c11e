import type { ProjectFile } from './project-settings.ts';
import type { Reach } from './trust.ts';

/** What a project file decides about where requests and keys go: it selects a profile other than the current one. */
export function reachOfProject(
  { path, profile }: Pick<ProjectFile, 'path' | 'profile'>,
  current: string | undefined,
): Reach {
  const name = profile?.value;
  if (name === undefined || name === current) return { path, values: [], targets: [] };
  return {
    path,
    values: [name],
    targets: [{ name: `profile:${name}`, does: `selects the profile ${name}` }],
  };
}
