/** page.ts with all that it imports, as one script (scripts/build/chart-assets.js). */
declare module 'virtual:chart-page-script' {
  const script: string;
  export default script;
}

/** The PNG renderer and its fonts (scripts/build/chart-assets.js). */
declare module 'virtual:png-assets' {
  /** WebAssembly. */
  export const readRenderer: () => Uint8Array;
  /** WOFF2 files in base64, in the order in which a missing character is looked up. */
  export const fonts: readonly string[];
}
