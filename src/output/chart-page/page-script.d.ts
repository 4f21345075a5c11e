/** page.ts with all that it imports, as one script; the build makes it (scripts/build/chart-page.js). */
declare module 'virtual:chart-page' {
  const script: string;
  export default script;
}
