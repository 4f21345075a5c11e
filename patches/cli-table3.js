// What gatectl changes in cli-table3, and why.

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const cliTable3Patch = {
  library: 'cli-table3',
  changes: [
    {
      reason:
        'src/output/table-lines.ts sets the measure, so that widths of CJK, emoji and combining characters are those of all other output',
      file: 'src/utils.js',
      line: "const stringWidth = require('string-width');",
      by: 'const stringWidth = text => module.exports.displayWidth(text);',
    },
    {
      reason:
        'texts are wrapped before they reach the table; one that is wider than its padding is printed whole, because a pipe has no width',
      file: 'src/cell.js',
      line: 'let content = utils.truncate(line, len, this.truncate);',
      by: 'let content = line;',
    },
    {
      reason: 'the truncated text is for a debug message only, and measuring it takes a third of the time',
      file: 'src/cell.js',
      line: 'let content = utils.truncate(this.content, 10, this.truncate);',
      by: "let content = '';",
    },
    {
      reason: 'no cell has characters of its own; finding them again for each cell takes half the time',
      file: 'src/cell.js',
      line: 'let chars = (this.chars = {});',
      by: 'const known = tableOptions.charsOfCells; let chars = (this.chars = tableOptions.charsOfCells ??= {});',
    },
    {
      reason: 'the other half of the change above',
      file: 'src/cell.js',
      line: '    CHAR_NAMES.forEach(function (name) {',
      by: '    if (!known) CHAR_NAMES.forEach(function (name) {',
    },
    {
      reason:
        'no row lacks a cell, and the search for missing ones takes a time that grows with the square of rows and columns',
      file: 'src/layout-manager.js',
      line: '    fillInTable(cellRows);',
      by: '',
    },
    {
      reason: 'cells are colored before they reach the table, and the library would be part of the bundle',
      file: 'src/cell.js',
      line: "let colors = require('@colors/colors/safe');",
      by: 'let colors = {};',
    },
  ],
};
