/** page.ts with all that it imports, as one script; the build makes it (scripts/picture-page.js). */
declare module 'virtual:picture-page' {
  const script: string;
  export default script;
}
