/** The code of the thread that converts rows, see scripts/build/thread-script.js. */
declare module 'virtual:parquet-thread' {
  const script: string;
  export default script;
}
