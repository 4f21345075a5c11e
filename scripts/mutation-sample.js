// A plugin of StrykerJS: leaves all functions but a sample as they are, so that a run ends in time. The sample depends on MUTATION_SEED
// and on the text of the functions alone.
import { createHash } from 'node:crypto';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const seed = process.env.MUTATION_SEED ?? '1';

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'sample', {
    shouldIgnore(path) {
      // Each part of a run has its own.
      const share = Number(process.env.MUTATION_SHARE ?? 100);
      if (share >= 100 || !isOutermost(path)) return undefined;
      const text = /** @type {any} */ (path).getSource?.() || path.toString();
      const hash = createHash('sha256').update(seed).update(text).digest().readUInt16BE();
      return hash % 100 < share ? undefined : 'not in the sample';
    },
  }),
];

/** A declaration of the module, or a member of one of its classes. */
function isOutermost(path) {
  const { parentPath } = path;
  if (path.isClass() || path.isExportDeclaration()) return false;
  if (parentPath?.isClassBody()) return true;
  return parentPath?.isProgram() || parentPath?.isExportDeclaration() || false;
}
