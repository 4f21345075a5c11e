import type { BdaV1Site } from '../../apis/bda-v1/requests.ts';
import type { BdaV2Site } from '../../apis/bda-v2/requests.ts';
import type { Platform } from '../../config/platform.ts';
import type { Settings } from '../../config/resolve.ts';
import type { Clock } from '../../http/clock.ts';
import type { RawSender } from '../../http/sender.ts';
import type { Sentence } from '../../output/sentence.ts';

/** What requests of analytics and their listings take. */
export interface Analytics {
  readonly io: Platform;
  readonly clock: Clock;
  readonly globals: { readonly sandbox: boolean };
  readonly log: { note(text: Sentence): void; warn(text: string): void };
  gateway(): Promise<RawSender>;
  settings(): Promise<Settings>;
}

/** Where BDA v2 is, for its requests. */
export async function bdaV2Site(analytics: Pick<Analytics, 'settings'>): Promise<BdaV2Site> {
  return { prefix: (await analytics.settings()).prefixBdaV2.value };
}

/** Where BDA v1 is, for its requests. */
export async function bdaV1Site(analytics: Pick<Analytics, 'settings'>): Promise<BdaV1Site> {
  return { prefix: (await analytics.settings()).prefixBdaV1.value };
}
