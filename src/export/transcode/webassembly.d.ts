// The part of WebAssembly's interface that gatectl uses; only the type library of browsers has it.
declare namespace WebAssembly {
  class CompileError extends Error {}
  class RuntimeError extends Error {}
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  interface Global {
    readonly value: number;
  }
}
