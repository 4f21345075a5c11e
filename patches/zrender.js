// What gatectl changes in zrender, which draws the charts, and why.
const REASON =
  'it caches the widths of texts in a plain object: the text __proto__ would be read as Object.prototype, and written to';

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const zrenderPatch = {
  library: 'zrender',
  changes: [
    {
      reason: REASON,
      file: 'lib/core/LRU.js',
      line: 'this._maxSize = 10;\n        this._map = {};',
      by: 'this._maxSize = 10;\n        this._map = Object.create(null);',
    },
    {
      reason: REASON,
      file: 'lib/core/LRU.js',
      line: 'this._list.clear();\n        this._map = {};',
      by: 'this._list.clear();\n        this._map = Object.create(null);',
    },
  ],
};
