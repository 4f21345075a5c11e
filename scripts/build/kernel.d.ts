export const KERNEL_MODULE: string;
export function kernelModule(): Promise<string>;
