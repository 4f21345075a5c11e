/** Of lines, in characters: RFC 2045 and RFC 2047 allow 76 and 75. */
const LINE = 76;
const ENCODED_WORD = 75;

/**
 * Text as ASCII in short lines (RFC 2045). A line that begins with a dot or with From is encoded too, because mail programs give them a
 * meaning.
 */
export function quotedPrintable(text: string): string {
  return text
    .split('\n')
    .map(line => {
      const bytes = Buffer.from(line);
      let written = '';
      let column = 0;
      for (const [at, byte] of bytes.entries()) {
        const plain = isPlain(byte, at === bytes.length - 1) ? String.fromCharCode(byte) : undefined;
        const length = plain === undefined ? 3 : 1;
        if (column + length > LINE - 1) {
          written += '=\n';
          column = 0;
        }
        const isMeaningful =
          column === 0 && (plain === '.' || bytes.toString('latin1', at, at + 5) === 'From ');
        const unit =
          plain === undefined || isMeaningful
            ? `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
            : plain;
        written += unit;
        column += unit.length;
      }
      return written;
    })
    .join('\n');
}

/** Printable, but no equals sign; a blank at the end of a line would get lost. */
function isPlain(byte: number, isLast: boolean): boolean {
  if (byte === 0x20 || byte === 0x09) return !isLast;
  return byte > 0x20 && byte < 0x7f && byte !== 0x3d;
}

/** Text of a header: folded at spaces, or encoded where it has anything but plain words. */
export function headerText(text: string, start: number): string {
  const words = text.split(' ');
  if (!/^[\x20-\x7e]*$/.test(text) || text.includes('=?') || words.some(word => word.length > LINE - start))
    return encodedWords(text, start);
  let [line, folded] = [start, ''];
  for (const [at, word] of words.entries()) {
    if (at > 0 && line + 1 + word.length > LINE) {
      folded += '\n ';
      line = 1;
    } else if (at > 0) {
      folded += ' ';
      line += 1;
    }
    folded += word;
    line += word.length;
  }
  return folded;
}

/** Encoded words of whole characters, one a line (RFC 2047). */
export function encodedWords(text: string, start: number): string {
  const [open, close] = ['=?UTF-8?B?', '?='];
  const words: string[] = [];
  let chunk = '';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  for (const character of text) {
    const room = ENCODED_WORD - open.length - close.length - (words.length === 0 ? start : 1);
    if (chunk !== '' && base64(chunk + character).length > room) {
      words.push(chunk);
      chunk = '';
    }
    chunk += character;
  }
  return [...words, chunk].map(word => `${open}${base64(word)}${close}`).join('\n ');
}
