/**
 * A rollup plugin that replaces lines of libraries: in each module whose path matches `file`, `line` gives way to `by`. The build
 * fails when a new version no longer has one of them, so that somebody looks again.
 */
export function changeLines(lines) {
  const replaced = new Set();
  return {
    name: 'change-lines',
    transform(code, id) {
      const here = lines.filter(({ file }) => file.test(id.replaceAll('\\', '/')));
      let text = code;
      for (const each of here) {
        if (!text.includes(each.line)) this.error(`${id} no longer has the line: ${each.line}`);
        text = text.replace(each.line, () => each.by);
        replaced.add(each);
      }
      return here.length === 0 ? null : { code: text, map: null };
    },
    buildEnd(error) {
      const unused = lines.filter(each => !replaced.has(each));
      if (error === undefined && unused.length > 0)
        this.error(`no module is ${unused.map(({ file }) => file).join(', ')}`);
    },
  };
}
