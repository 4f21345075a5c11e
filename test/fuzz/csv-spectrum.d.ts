declare module 'csv-spectrum' {
  interface Item {
    readonly name: string;
    readonly csv: Buffer;
    readonly json: Buffer;
  }
  export default function csvSpectrum(done: (error: Error | null, items: Item[]) => void): void;
}
