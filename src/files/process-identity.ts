/** What tells a process apart from every other, also after its id went to another one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Shown to people only: host names change, and containers share them. */
  readonly host: string;
  /** Id of the running kernel: new with every boot, the same in all containers of a machine. Undefined where unknown. */
  readonly boot: string | undefined;
  /** Process ids are comparable only within one namespace. Undefined on systems without namespaces. */
  readonly pidNamespace: string | undefined;
  /** When the process started, in the kernel's own count. Undefined where unknown. */
  readonly startTime: string | undefined;
}

/** The processes of this machine, as far as this one sees them. */
export interface ProcessTable {
  /** The identity of this process. */
  readonly identify: () => ProcessIdentity;
  /** The process with this id; undefined when none runs, or only a zombie is left of it. */
  readonly find: (pid: number) => { readonly startTime: string | undefined } | undefined;
}

/** Whether both run, or ran, on one kernel, without a boot in between. */
export function onSameKernel(a: ProcessIdentity, b: ProcessIdentity): boolean {
  if (a.boot === undefined && b.boot === undefined) return a.host === b.host;
  return a.boot === b.boot;
}
