// The built library, which a clone that only checks types does not have.
const { startSandbox } = await import(new URL('../../../dist/library/sandbox.mjs', import.meta.url).href);

export { startSandbox };
