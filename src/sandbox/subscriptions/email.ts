/** The HTML standard's e-mail pattern, with at least one dot in the domain. */
const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** Whether a text is an address that a checkout would take: ASCII, at most 254 characters. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text);
}
