export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}
export interface Shell {
  run(command: string): Promise<string>;
  close(): Promise<void>;
}
export function commandsOf(page: string): ShownCommand[];
export function withOutputs(page: string, outputs: readonly string[]): string;
export function openShell(): Promise<Shell>;
