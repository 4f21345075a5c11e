export const KERNEL_MODULES: readonly string[];
export function kernelModule(path: string): Promise<string>;
