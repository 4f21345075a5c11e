const KEYS = [
  /developer_?key["']?\s*[=:]\s*["']?([^&\s"'\\]+)/gi,
  /x-api-key["']?\s*[=:]\s*["']?([^\s"'\\]+)/gi,
] as const;

/** Every API key in a text that looks like one, as typed and URL-decoded. */
export function secretsInArgv(text: string): string[] {
  const found = KEYS.flatMap(pattern => [...text.matchAll(pattern)].flatMap(([, key]) => key ?? []));
  return found.flatMap(key => [key, decoded(key)]);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
