import type { Reader } from '../../apis/subscriptions/reader.ts';
import { fillTemplate, situationOf } from '../../apis/subscriptions/replies/reply.ts';
import type { ProductDecision, SupportView } from '../../apis/subscriptions/support-view.ts';
import { FileError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { languageNamed, replyTemplate } from '../reply/reply-store.ts';
import { gatewayScope, type SeenDecisions, SeenReaders } from './reader-state.ts';

/** A reply to a reader, ready to paste. */
export interface Reply {
  readonly about: string;
  readonly product: string;
  readonly language: string;
  readonly text: string;
}

/** The reply for the decision that the reader's question most likely concerns. Throws UsageError, also for an unknown language. */
export async function replyTo(
  { decisions }: SupportView,
  {
    domain,
    requested,
    language,
  }: { domain: string; requested: readonly string[]; language: string | undefined },
  context: Context,
): Promise<Reply> {
  const asked = askedAbout(decisions, requested);
  const about =
    asked === undefined ? 'login_required' : situationOf(asked.access.decision, asked.access.reasonCode);
  const template = await replyTemplate(about, languageNamed(language), context);
  const product = asked?.product ?? '';
  return {
    about,
    product,
    language: template.language,
    text: fillTemplate(template.text, { product, domain }),
  };
}

/** A requested product before others, and a known handle before an unknown one; else the first product without access. */
function askedAbout(
  decisions: readonly ProductDecision[],
  requested: readonly string[],
): ProductDecision | undefined {
  const isKnown = ({ access }: ProductDecision) => access.decision !== 'unknown_product';
  const isRequested = ({ product }: ProductDecision) => requested.includes(product);
  return (
    decisions.find(each => isRequested(each) && isKnown(each)) ??
    decisions.find(each => !each.access.allowed && isKnown(each)) ??
    decisions.find(isRequested) ??
    decisions[0]
  );
}

/** A product whose decision differs from the last time. */
interface DecisionChange {
  readonly product: string;
  /** `allowed → suspended` */
  readonly change: string;
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
}

export interface Changes {
  /** RFC 3339; undefined if there is nothing to compare with. */
  readonly since: string | undefined;
  readonly changes: readonly DecisionChange[];
  /** Products that the earlier look did not check. */
  readonly added: readonly string[];
  /** Why nothing was compared. */
  readonly reason?: string;
}

function notCompared(reason: string): Changes {
  return { since: undefined, changes: [], added: [], reason };
}

/**
 * What changed since this machine last explained the reader's decisions, which are then remembered. Nothing is stored for a
 * session token. Where nothing can be stored, warns.
 */
export async function changesSince(
  reader: Reader,
  domain: string,
  { decisions }: SupportView,
  context: Context,
): Promise<Changes> {
  if (reader.kind === 'token')
    return notCompared('changes are unknown: nothing is stored for a session token');
  const at = new Date(context.clock.now()).toISOString();
  const now: SeenDecisions = {
    at,
    decisions: decisions.map(({ product, access }) => ({
      product,
      decision: access.decision,
      reasonCode: access.reasonCode ?? null,
    })),
  };
  try {
    const seen = await SeenReaders.open(await gatewayScope(domain, context), context);
    const before = await seen.last(reader.email);
    await seen.remember(reader.email, merged(before, now));
    return before === undefined
      ? notCompared('first look on this machine; nothing to compare with')
      : { since: before.at, changes: differences(before, now), added: addedTo(before, now) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    context.log.warn(`the decisions are not remembered: ${error.message}`, await context.hintsFor(error));
    return notCompared('changes are unknown: the decisions of the last look cannot be read');
  }
}

/** Preserves decisions on products that this call does not check. */
function merged(before: SeenDecisions | undefined, now: SeenDecisions): SeenDecisions {
  const products = new Set(now.decisions.map(({ product }) => product));
  const kept = (before?.decisions ?? []).filter(({ product }) => !products.has(product));
  return { at: now.at, decisions: [...now.decisions, ...kept].slice(0, 1000) };
}

function differences(before: SeenDecisions, now: SeenDecisions): DecisionChange[] {
  return now.decisions.flatMap(({ product, ...decision }) => {
    const earlier = before.decisions.find(each => each.product === product);
    if (earlier === undefined) return [];
    const [was, is] = [word(earlier), word(decision)];
    return was === is ? [] : [{ product, change: `${was} → ${is}`, from: before.at, to: now.at }];
  });
}

function addedTo(before: SeenDecisions, now: SeenDecisions): string[] {
  const known = new Set(before.decisions.map(({ product }) => product));
  return now.decisions.map(({ product }) => product).filter(product => !known.has(product));
}

/** What the absence of changes means: nothing has changed, or nothing was compared. */
export function noChangesText({ reason, added }: Changes): string {
  if (reason !== undefined) return reason;
  return added.length === 0
    ? 'no decision has changed'
    : `no decision has changed; checked for the first time: ${added.join(', ')}`;
}

function word({
  decision,
  reasonCode,
}: {
  readonly decision: string;
  readonly reasonCode: string | null;
}): string {
  return decision === 'allowed' ? decision : (reasonCode ?? decision);
}
