export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}
export interface Shell {
  run(command: string): Promise<string>;
  read(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}
export interface Picture {
  readonly path: string;
  readonly made: string;
}
export function commandsOf(page: string): ShownCommand[];
export function picturesOf(page: string): Picture[];
export function withOutputs(page: string, outputs: readonly string[]): string;
export function openShell(): Promise<Shell>;
