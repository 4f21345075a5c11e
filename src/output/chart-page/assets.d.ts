/** What a page has in it (scripts/build/chart-assets.js). */
declare module 'virtual:chart-page-assets' {
  /** page.ts with all that it imports, as one script. */
  export const script: string;
  /** WOFF2 files in base64 of the Latin letters, by weight. */
  export const fonts: readonly (readonly [weight: number, file: string])[];
}

/** The PNG renderer and its fonts (scripts/build/chart-assets.js). */
declare module 'virtual:png-assets' {
  /** WebAssembly. */
  export const readRenderer: () => Uint8Array;
  /** WOFF2 files in base64, in the order in which a missing character is looked up. */
  export const fonts: readonly string[];
}
