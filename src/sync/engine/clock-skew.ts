/**
 * How far the clock of a server is ahead of that of this machine, in milliseconds; negative if it is behind. `asked` and `answered` are
 * times of this machine: the server read its clock at some moment between them, so that this is the least that they prove.
 */
export function skewOf(server: number, asked: number, answered: number): number {
  if (server > answered) return Math.round(server - answered);
  return server < asked ? Math.round(server - asked) : 0;
}
