/** The built library, which exists after `npm run build`. */
declare module '*/dist/library/sandbox.mjs' {
  export { startSandbox } from '../../../src/sandbox/library.ts';
}
