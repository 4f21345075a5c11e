// What gatectl changes in commander, and why.

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const commanderPatch = {
  library: 'commander',
  changes: [
    {
      reason:
        'commander starts processes only for commands that are programs of their own, and gatectl has none',
      file: 'lib/command.js',
      line: "const childProcess = require('node:child_process');",
      by: "const childProcess = { spawn() { throw new Error('patches/commander.js: child_process was removed'); } };",
    },
  ],
};
