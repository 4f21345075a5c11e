/** Identifies a process, even after its process id was reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** For messages only: host names change, and containers share them. */
  readonly host: string;
  /** The kernel's boot id: new with every boot, the same in all containers of a machine. Undefined where unknown. */
  readonly boot: string | undefined;
  /** Process ids are comparable only within one namespace. Undefined on systems without namespaces. */
  readonly pidNamespace: string | undefined;
  /** When the process started, in the kernel's clock ticks. Undefined where unknown. */
  readonly startTime: string | undefined;
}

/** The processes that are visible to this one. */
export interface ProcessTable {
  /** The identity of this process. */
  readonly identify: () => ProcessIdentity;
  /** The process with this id; undefined if none runs, or it is a zombie. */
  readonly find: (pid: number) => { readonly startTime: string | undefined } | undefined;
}

/** Whether both run, or ran, on the same kernel since the same boot. */
export function onSameKernel(a: ProcessIdentity, b: ProcessIdentity): boolean {
  if (a.boot === undefined && b.boot === undefined) return a.host === b.host;
  return a.boot === b.boot;
}
