/** The members of an object that gatectl stored as JSON; none of a text that was damaged. Digits of long numbers are lost. */
export function storedObject(text: string): Readonly<Partial<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
