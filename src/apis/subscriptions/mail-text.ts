const ENCODED = /^content-transfer-encoding:[ \t]*(?:quoted-printable|base64)\b/im;

/** Whether a text is the source of a mail with a body or part in quoted-printable or base64. */
export function isEncodedMail(text: string): boolean {
  return ENCODED.test(text);
}

interface Part {
  readonly type: string;
  readonly text: string;
}

/**
 * The source of a mail with its text decoded, below its header (RFC 2045, 6.7 and 6.8). Attachments are dropped, and so is HTML where the
 * mail has plain text. What cannot be decoded stays as it is.
 */
export function decodedMail(source: string): string {
  const text = source.replace(/\r\n?/g, '\n');
  const boundaries = new Set(
    [...text.matchAll(/\bboundary="?([^"\n;]{1,70})"?/gi)].flatMap(([, name = '']) => [
      `--${name.trim()}`,
      `--${name.trim()}--`,
    ]),
  );
  const pieces: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (boundaries.has(line.trimEnd())) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const parts = pieces.map(lines => partOf(lines.join('\n')));
  const hasPlain = parts.some(({ type, text: body }) => type === 'text/plain' && body.trim() !== '');
  return parts.flatMap(part => (hasPlain && part.type === 'text/html' ? [] : [part.text])).join('\n\n');
}

/** A mail or a part of one, decoded. The fields of a part that describe its content are no text. */
function partOf(piece: string): Part {
  const trimmed = piece.replace(/^\n+/, '');
  const [header = ''] = trimmed.split(/\n[ \t]*\n/, 1);
  const body = trimmed.slice(header.length).replace(/^\n[ \t]*\n/, '');
  const fields = header.replace(/\n[ \t]+/g, ' ');
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*([^\\n]*)`, 'im').exec(fields)?.[1] ?? '';
  const content = field('content-type');
  const encoding = field('content-transfer-encoding').trim().toLowerCase();
  if (content === '' && encoding === '') return { type: '', text: piece };
  const type = (/^[\w.+-]+\/[\w.+-]+/.exec(content)?.[0] ?? 'text/plain').toLowerCase();
  const kept = header
    .split('\n')
    .filter(line => !/^(?:content-|[ \t]+(?:boundary|charset|name|filename)=)/i.test(line))
    .join('\n');
  if (type === 'message/rfc822') return { type, text: `${kept}\n\n${decodedMail(body)}` };
  if (type.startsWith('multipart/')) return { type, text: `${kept}\n\n${body}` };
  if (!type.startsWith('text/')) return { type, text: kept };
  const [, charset = 'utf-8'] = /\bcharset="?([\w.:-]{1,40})/i.exec(content) ?? [];
  const decoded = decodedBody(body, encoding, charset);
  return { type, text: `${kept}\n\n${type === 'text/html' ? decoded.replaceAll('&amp;', '&') : decoded}` };
}

function decodedBody(body: string, encoding: string, charset: string): string {
  if (encoding === 'base64') return textOf(Buffer.from(body, 'base64'), charset);
  if (encoding !== 'quoted-printable') return body;
  const joined = body.replace(/=[ \t]*\n/g, '');
  const coded = /(?:=[0-9a-f]{2})+/gi;
  return joined.replace(coded, bytes => textOf(Buffer.from(bytes.replaceAll('=', ''), 'hex'), charset));
}

function textOf(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // The name of no encoding.
    return new TextDecoder().decode(bytes);
  }
}
