import { GatectlError, InterruptedError, NetworkError, UnusableAnswerError } from '../../../errors/index.ts';
import { quoted } from '../../../families/bda/catalogue.ts';
import { type Named, shownId } from '../../../families/bda/v1/definition.ts';
import type { GatewayRequest } from '../../../gateway/request.ts';
import type { Json } from '../../../json/index.ts';
import type { Context } from '../../context.ts';

/** Something to be made that the API would make again if it were asked again. */
export interface Creation {
  /** What it is called in messages: `segment`. */
  readonly kind: string;
  readonly name: string;
  readonly request: GatewayRequest;
  /** Everything of the kind that there is now. */
  readonly list: () => Promise<readonly Named[]>;
}

/**
 * Sends a creation once. After a failure that leaves open what happened it looks whether the thing is there now: if so, its
 * number is the answer. Throws the failure, which then says that nothing was made, or that this can't be told.
 */
export async function createOnce(creation: Creation, context: Context): Promise<Json> {
  const { kind, name, request } = creation;
  const gateway = await context.gateway();
  if (context.globals.curl) return (await gateway.send(request)).body;
  const before = (await creation.list()).filter(known => known.name === name);
  const [same] = before;
  if (same !== undefined)
    context.warn(`there is already a ${kind} called ${quoted(name)} (${same.id ?? 'without a number'})`);
  try {
    return (await gateway.send(request)).body;
  } catch (error) {
    if (!(error instanceof NetworkError || error instanceof UnusableAnswerError)) throw error;
    const made = await lookAgain(creation, before, error, context);
    context.warn(
      `the answer was lost (${error.message}), but the ${kind} ${quoted(name)} exists now; nothing was sent twice`,
    );
    return { id: shownId(made), name: made.name };
  }
}

async function lookAgain(
  { kind, name, list }: Creation,
  before: readonly Named[],
  failure: NetworkError | UnusableAnswerError,
  context: Context,
): Promise<Named> {
  let now: readonly Named[];
  try {
    now = await list();
  } catch (error) {
    if (error instanceof InterruptedError || !(error instanceof GatectlError)) throw error;
    context.warn(
      `whether the ${kind} ${quoted(name)} was made can't be told: look before you create it again`,
    );
    throw failure;
  }
  const found = now.find(known => known.name === name && !before.some(({ id }) => id === known.id));
  if (found !== undefined) return found;
  context.warn(`the ${kind} ${quoted(name)} was not made; the command can be run again`);
  throw failure;
}
