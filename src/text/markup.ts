const MARKUP = /[&<>"']/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** What XML 1.0 cannot contain, and the carriage return, which XML readers change: written as `_xHHHH_`, as spreadsheets do. */
const UNWRITABLE = /[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
/** A text that would be read as such an escape has its underscore escaped. */
const LIKE_ESCAPE = /_(?=x[0-9A-Fa-f]{4})/g;

/** Escapes text for use between tags and in quoted attributes, of HTML and of XML. */
export function escapeHtml(text: string): string {
  return text.replace(MARKUP, character => ENTITIES[character] ?? '');
}

/** Text of a workbook's cell as XML; a spreadsheet reads back the same text, control characters and lone surrogates included. */
export function workbookText(text: string): string {
  return escapeHtml(
    text
      .replace(LIKE_ESCAPE, '_x005F_')
      .replace(UNWRITABLE, unit => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`),
  );
}
