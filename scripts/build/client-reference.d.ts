export function clientReference(types: string): string;
