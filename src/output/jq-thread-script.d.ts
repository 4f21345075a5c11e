/** The code of the thread that runs jq, and its WebAssembly, see scripts/build/thread-script.js. */
declare module 'virtual:jq-thread' {
  const script: string;
  export default script;
  export function readJq(): Uint8Array;
}
