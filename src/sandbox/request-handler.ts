import type { BrandNames } from '../wire/brand.ts';
import { createCdn } from './cdn/index.ts';
import { answerFamily, type RouteSource } from './gateway.ts';
import { inspectionAnswer } from './inspection.ts';
import { type Account, plainText, type Route, type SandboxReply, type SandboxRequest } from './routing.ts';
import type { Site } from './site.ts';
import { subscriptionsRoutes } from './subscriptions/index.ts';
import { sandboxSecret } from './subscriptions/session-token.ts';

export interface AnswersState {
  readonly site: Site;
  readonly account: Account;
  readonly sessionSecret: Buffer;
  readonly seed: number;
  readonly now: () => number;
  readonly brand: BrandNames;
  /** The word that the names were made from; the neutral one if absent. */
  readonly brandWord: string | undefined;
}

/** Puts the APIs together, with all their state, into one function from request to reply. */
export function createAnswers(state: AnswersState): (request: SandboxRequest) => Promise<SandboxReply> {
  const { site, account, seed, now, brand, brandWord } = state;
  const identitySecrets = {
    signing: sandboxSecret('identity token signature', seed),
    encryption: sandboxSecret('identity token e-mail', seed),
  };
  const subscriptions = subscriptionsRoutes({ ...state, identitySecrets });
  const cdn = createCdn([...site.domains.keys()], now);
  let bda: Promise<readonly Route[]> | undefined;

  const routesOf: RouteSource = async api => {
    if (api === 'subscriptions') return subscriptions;
    if (api === 'cdn') return cdn.routes;
    // The analytics data lives in an SQL engine, which only its users should wait for.
    bda ??= import('./bda/index.ts').then(({ bdaRoutes }) => bdaRoutes({ account, now, seed, brand }));
    return bda;
  };

  return async request =>
    (await answerFamily(request, routesOf, account.apiKey)) ??
    cdn.page(request) ??
    (await inspectionAnswer(request, { now, brandWord, identitySecrets, purges: cdn.purges })) ??
    plainText(404, `there is nothing at ${request.path}\n`);
}
