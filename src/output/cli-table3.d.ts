/** The measure of texts, which patches/cli-table3.js leaves to src/output/table-lines.ts. */
declare module 'cli-table3/src/utils.js' {
  const utils: { displayWidth: (text: string) => number };
  export default utils;
}
