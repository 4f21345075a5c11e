export const KERNEL_MODULES: readonly string[];
export const FINGERPRINTS: string;
export function kernelFingerprint(path: string, module: string): string;
export function kernelModule(path: string): Promise<string>;
