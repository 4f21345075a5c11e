/** The values of the placeholders of a pattern in a path, by name. */
export type Captured = Readonly<Record<string, string>>;

/** Matches a path against a pattern; undefined where it does not match. */
export type PathPattern = (path: string) => Captured | undefined;

const TOKEN = /\*\*\/|\*\*|\*|\?|\{([A-Za-z_][A-Za-z0-9_]*)(\*\*)?\}|[^*?{}]+|[{}]/g;

/**
 * Compiles a pattern of paths with slashes: `*` and `?` match within a folder, `**` across folders, `{name}` captures what `*`
 * matches and `{name**}` what `**` matches. Returns the problem as text for an invalid pattern.
 */
export function pathPattern(text: string): PathPattern | string {
  const names: string[] = [];
  let source = '';
  for (const [token, name, deep] of text.replace(/^\//, '').matchAll(TOKEN)) {
    if (name !== undefined) {
      if (names.includes(name)) return `names {${name}} twice`;
      names.push(name);
      source += deep === undefined ? '([^/]+)' : '(.+)';
    } else if (token === '**/') source += '(?:.*/)?';
    else if (token === '**') source += '.*';
    else if (token === '*') source += '[^/]*';
    else if (token === '?') source += '[^/]';
    else if (token === '{' || token === '}') return 'has a brace that is not part of a {name}';
    else source += token.replace(/[.+^$()|[\]\\]/g, '\\$&');
  }
  const expression = new RegExp(`^${source}$`, 'su');
  return path => {
    const match = expression.exec(path.replace(/^\//, ''));
    if (match === null) return undefined;
    return Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? '']));
  };
}

/** A template with its placeholders replaced by captured values, each passed through `encode`. */
export function filled(template: string, captured: Captured, encode: (value: string) => string): string {
  return template.replace(/\{([^{}]*)\}/g, (_, name: string) => encode(captured[name] ?? ''));
}
