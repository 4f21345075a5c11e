// Preloaded into a process: at its end it writes which files it loaded, and which of Node's own modules.
const { writeFileSync } = require('node:fs');

const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const builtins = process.moduleLoadList
    .filter(name => !before.has(name))
    .flatMap(name => /^NativeModule ((?!internal\/)[a-z_0-9/]+)$/.exec(name)?.[1] ?? []);
  writeFileSync(process.env.LOADED_TO, JSON.stringify({ files: Object.keys(require.cache), builtins }));
});
