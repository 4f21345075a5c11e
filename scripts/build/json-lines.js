const TAKES_CHARACTER = `          if (isValidStringCharacter(text.charCodeAt(i))) {
            result += text[i];
          } else {`;

/** Lines of lossless-json that `changeLines` replaces. */
export const JSON_LINES = [
  {
    // A string made character by character takes 32 bytes for each of them, and ten times as long: characters that stand for
    // themselves are taken together.
    file: /lossless-json\/lib\/esm\/parse\.js$/,
    line: TAKES_CHARACTER,
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
];
