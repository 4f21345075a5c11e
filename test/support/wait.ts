import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something holds that another process or the network brings about, of which no event tells. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5);
}

/** What a test server takes for an answer. Tests hold whatever it takes: it only makes room for others meanwhile. */
export async function someTime(ms: number): Promise<void> {
  await pause(ms);
}

/** Something that happens once, and those who wait for it. */
export interface Happening {
  readonly happened: Promise<void>;
  happens(): void;
}

export function happening(): Happening {
  let happens = () => {};
  const happened = new Promise<void>(resolve => {
    happens = resolve;
  });
  return { happened, happens: () => happens() };
}
