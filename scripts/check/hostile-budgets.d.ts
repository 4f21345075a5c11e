export interface HostileServer {
  readonly name: string;
  /** The body is `begin` and then `more`, again and again. */
  readonly begin: string;
  readonly more: string;
  /** About how many bytes, and what they end with; without end where it is left out. */
  readonly bytes?: number;
  readonly end?: string;
  /** Milliseconds between one `more` and the next; as fast as it is read where it is left out. */
  readonly everyMs?: number;
}

export interface HostileBudget {
  readonly command: string;
  readonly args: readonly string[];
  readonly megabytes: number;
  readonly seconds: number;
}

export const HOSTILE_SERVERS: readonly HostileServer[];
export const HOSTILE_BUDGETS: readonly HostileBudget[];
export const OFFLINE_COMMANDS: readonly string[];
