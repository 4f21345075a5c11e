// What gatectl changes in lossless-json, and why.
const APPEND_CHARACTER = `          if (isValidStringCharacter(text.charCodeAt(i))) {
            result += text[i];
          } else {`;

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const losslessJsonPatch = {
  library: 'lossless-json',
  changes: [
    {
      reason:
        'a string built character by character takes 32 bytes for each, and ten times as long; runs of plain characters are appended at once',
      file: 'lib/esm/parse.js',
      line: APPEND_CHARACTER,
      by: `          if (isValidStringCharacter(text.charCodeAt(i))) {
            const from = i;
            for (;;) {
              const code = text.charCodeAt(i + 1);
              if (!(code >= 0x20) || code === codeDoubleQuote || code === codeBackslash) break;
              i++;
            }
            result += text.slice(from, i + 1);
          } else {`,
    },
  ],
};
