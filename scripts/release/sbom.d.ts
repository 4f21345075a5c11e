/** The packages of the bundle as `name@version`. Throws where one is not in the list of licenses. */
export function bundledPackages(
  licenses: string,
  contents: Readonly<Record<string, readonly string[]>>,
): string[];

/** npm's SBOM reduced to what is installed or bundled. Throws where it lacks a bundled package. */
export function withBundled(
  sbom: object,
  bundled: readonly string[],
  facts: { readonly tarball: Uint8Array; readonly time: string },
): {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string };
  readonly components: readonly { readonly 'bom-ref': string; readonly scope: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};
