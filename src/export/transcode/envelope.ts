import { OPEN_OBJECT } from './ascii.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import { Row } from './row.ts';
import { utf8Text } from './utf8.ts';

/** The JSON text of each member of a complete envelope except the rows; of a duplicate name, the last one. */
export function envelopeMembers(envelope: ByteBuffer, arrayName: string | undefined): Map<string, string> {
  const members = new Map<string, string>();
  const text = envelope.view;
  let from = 0;
  while (from < envelope.length && text.getUint8(from) !== OPEN_OBJECT) from++;
  if (from === envelope.length) return members;
  const root = new Row();
  root.split(text, from, envelope.length);
  for (let field = 0; field < root.fieldCount; field++) {
    const value = utf8Text(text, root.valueFrom[field] as number, root.valueTo[field] as number);
    members.set(root.fieldName(field), value);
  }
  if (arrayName !== undefined) members.delete(arrayName);
  return members;
}

/** The envelope as text, without a byte order mark. */
export function envelopeText(envelope: ByteBuffer): string {
  return utf8Text(envelope.view, 0, envelope.length).replace(/^\ufeff/, '');
}
