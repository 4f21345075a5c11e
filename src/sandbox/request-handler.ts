import type { BrandNames } from '../wire/brand.ts';
import type { Analytics } from './bda/index.ts';
import { createCdn } from './cdn/index.ts';
import { handleApiRequest, type RouteSource } from './gateway.ts';
import { handleInspection, isInspectionPath } from './inspection.ts';
import { type Account, plainText, type Route, type SandboxReply, type SandboxRequest } from './routing.ts';
import type { Site } from './site.ts';
import { subscriptionsRoutes } from './subscriptions/index.ts';
import { sandboxSecret } from './subscriptions/session-token.ts';

/** The generated figures, which survive a reset: they take longer to make than everything else. */
interface Figures {
  analytics: Promise<Analytics> | undefined;
  close(): Promise<void>;
}

/** Figures that the first request to analytics makes. */
export function newFigures(): Figures {
  return {
    analytics: undefined,
    async close() {
      const { analytics } = this;
      this.analytics = undefined;
      await (await analytics)?.close();
    },
  };
}

interface HandlerOptions {
  readonly site: Site;
  readonly account: Account;
  readonly sessionSecret: Buffer;
  readonly seed: number;
  /** Whether the figures of a day change as it ages. */
  readonly restates?: boolean;
  readonly now: () => number;
  /** The clock of rate limits. */
  readonly rateNow: () => number;
  readonly brand: BrandNames;
  /** The brand word of the profile; undefined for the neutral one. */
  readonly brandWord: string | undefined;
  readonly figures?: Figures;
  /** A cache in front of the origin that purges are sent to as well. */
  readonly purgeTo?: URL;
  /** Replaces all APIs and pages. */
  readonly respond?: Responder;
}

/** Answers a request in place of the APIs. */
export type Responder = (request: SandboxRequest) => Promise<SandboxReply>;

/** Creates the function that handles requests to all APIs, with their state. */
export function createRequestHandler(
  state: HandlerOptions,
): (request: SandboxRequest) => Promise<SandboxReply> {
  const { site, account, seed, restates = false, now, rateNow, brand, brandWord, respond } = state;
  const { figures = newFigures() } = state;
  const identitySecrets = {
    signing: sandboxSecret('identity token signature', seed),
    encryption: sandboxSecret('identity token e-mail', seed),
  };
  const subscriptions = subscriptionsRoutes({ ...state, identitySecrets });
  const cdn = createCdn([...site.domains.keys()], now, state.purgeTo);
  let bda: Promise<readonly Route[]> | undefined;

  const routesOf: RouteSource = async api => {
    if (api === 'subscriptions') return subscriptions;
    if (api === 'cdn') return cdn.routes;
    // Analytics load an SQL engine, which takes time.
    bda ??= import('./bda/index.ts').then(async ({ bdaRoutes, createAnalytics }) => {
      const bdaState = { account, now, rateNow, seed, restates, brand };
      figures.analytics ??= Promise.resolve(createAnalytics(bdaState));
      return bdaRoutes(bdaState, await figures.analytics);
    });
    return bda;
  };

  const inspect = (request: SandboxRequest) =>
    handleInspection(request, { now, brandWord, identitySecrets, purges: cdn.purges });

  if (respond !== undefined)
    return async request =>
      (isInspectionPath(request.path) ? await inspect(request) : undefined) ?? (await respond(request));
  return async request =>
    (await handleApiRequest(request, routesOf, account.apiKey)) ??
    cdn.page(request) ??
    (await inspect(request)) ??
    plainText(404, `there is nothing at ${request.path}\n`);
}
