// Libraries that the bundle loads when they are first used.
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Libraries that are one function, which is loaded when it is first called. string-width brings the tables of all scripts and all
 * emoji, which take as long to load as Node itself; plain text never asks it. By name, the file that it goes into.
 */
const CALLED_LATE = { 'string-width': 'string-width', 'validator/es/lib/isEmail.js': 'is-email' };

/** Modules of src whose functions are called without waiting, but rarely: words for typos, and formats that scripts do not ask for. By path, as above. */
const OWN_CALLED_LATE = {
  'src/cli/page-hint.ts': { file: 'page-hint', functions: ['pageHint'] },
  'src/commands/bda/flags/filter-warnings.ts': { file: 'filter-warnings', functions: ['warnOfFilters'] },
  'src/errors/nearest.ts': { file: 'nearest', functions: ['distance', 'nearest', 'similar'] },
  'src/output/change-percent.ts': {
    file: 'change-percent',
    functions: ['changePercentText', 'withPlus', 'unsigned'],
  },
  'src/output/html.ts': { file: 'html', functions: ['html', 'htmlPage', 'htmlParts', 'scrollingTable'] },
  'src/output/presentation/index.ts': {
    file: 'presentation',
    functions: [
      'dateText',
      'datesFormat',
      'differenceTexts',
      'figureText',
      'figuresFormat',
      'inOneUnit',
      'agreeingStyle',
      'areShares',
      'changeOf',
      'comparedWith',
      'figureColumnOf',
      'headingOf',
      'isDocumentedColumn',
      'labelInSentence',
      'labelled',
      'localeOf',
      'machineLocale',
      'percentChange',
      'periodText',
      'presentationOf',
      'regrouped',
      'shownNumber',
      'shownUnit',
      'withLabels',
      'withUnit',
    ],
  },
  'src/output/markdown.ts': { file: 'markdown', functions: ['markdown'] },
  'src/output/short-names.ts': { file: 'short-names', functions: ['shortNames'] },
  'src/output/sentence.ts': {
    file: 'sentence',
    functions: ['counted', 'joined', 'oneDay', 'sentence', 'sentenceFor', 'sentenceText'],
  },
  'src/output/table.ts': { file: 'table', functions: ['table'] },
};

/** Modules that are files of their own, required by name in patches/undici.js. */
const REQUIRED_LATE = { 'undici/lib/llhttp/llhttp-wasm.js': 'plain-parser' };

/** A rollup plugin. */
export function loadLatePlugin() {
  return {
    name: 'load-late',
    buildStart() {
      for (const [name, file] of Object.entries({ ...CALLED_LATE, ...REQUIRED_LATE })) {
        const id = fileURLToPath(import.meta.resolve(name));
        this.emitFile({ type: 'chunk', id, fileName: `chunks/${file}.cjs` });
      }
      for (const [path, { file }] of Object.entries(OWN_CALLED_LATE))
        this.emitFile({ type: 'chunk', id: resolve(path), fileName: `chunks/${file}.cjs` });
    },
    resolveId(id, importer) {
      if (importer !== undefined && id.startsWith('.')) {
        const path = relative('.', resolve(importer, '..', id)).replaceAll('\\', '/');
        if (path in OWN_CALLED_LATE) return `\0late:${path}`;
      }
      return importer !== undefined && id in CALLED_LATE ? `\0late:${id}` : null;
    },
    load(id) {
      const [, name] = /^\0late:(.*)$/.exec(id) ?? [];
      if (name === undefined) return null;
      if (name in OWN_CALLED_LATE) return lateFunctions(OWN_CALLED_LATE[name]);
      // All chunks lie in one folder, and a chunk may call `require`.
      const file = `./${CALLED_LATE[name]}.cjs`;
      return `let called; export default (...given) => (called ??= require('${file}').default)(...given);`;
    },
  };
}

/** A module of functions that load their file when they are called. */
function lateFunctions({ file, functions }) {
  return [
    `const late = name => (...given) => require('./${file}.cjs')[name](...given);`,
    ...functions.map(name => `export const ${name} = /* @__PURE__ */ late('${name}');`),
  ].join('\n');
}
