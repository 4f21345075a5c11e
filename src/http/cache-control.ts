/** Whether a response may be written to a cache: not where its `Cache-Control` has the directive `no-store`. Header names are lower-case. */
export function isStorable(headers: Readonly<Record<string, string | undefined>>): boolean {
  const directives = (headers['cache-control'] ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""').split(',');
  return !directives.some(directive => /^no-store(?:=|$)/i.test(directive.trim()));
}
