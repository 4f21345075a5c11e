/** What XML 1.0 cannot contain, and the carriage return, which XML readers change: written as `_xHHHH_`, as spreadsheets do. */
const UNWRITABLE = /[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
/** A text that would be read as such an escape has its underscore escaped. */
const LIKE_ESCAPE = /_(?=x[0-9A-Fa-f]{4})/g;
const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of a cell as XML; a spreadsheet reads back the same text, control characters and lone surrogates included. */
export function cellText(text: string): string {
  return attributeText(
    text
      .replace(LIKE_ESCAPE, '_x005F_')
      .replace(UNWRITABLE, unit => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`),
  );
}

/** Text in an attribute of a part that gatectl names: sheet names and formats. */
export function attributeText(text: string): string {
  return text.replace(MARKUP, character => ENTITIES[character] ?? '');
}
