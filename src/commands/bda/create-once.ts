import { quoted } from '../../apis/bda/catalogue.ts';
import { anyFieldOf, isPresent } from '../../apis/bda/fields.ts';
import { isReadable, type Named, shownId } from '../../apis/bda-v1/definition.ts';
import { GatectlError, InterruptedError, InvalidResponseError, NetworkError } from '../../errors/index.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';

/** Something to be made that the API would make again if it were asked again. */
export interface Creation {
  /** What it is called in messages: `segment`. */
  readonly kind: string;
  readonly name: string;
  readonly request: GatewayRequest;
  /** The listing of everything of the kind that there is now. */
  readonly list: () => Promise<Json>;
  /** What the listing names. */
  readonly read: (listing: Json) => readonly Named[];
}

/**
 * Sends a creation once. After a failure that leaves open what happened it looks whether the thing is there now: if so, its
 * number is the answer. Throws the failure, after saying whether the thing is there or that this can't be told.
 */
export async function createOnce(creation: Creation, context: Context): Promise<Json> {
  const { kind, name, request } = creation;
  const gateway = await context.gateway();
  if (context.globals.curl) return (await gateway.send(request)).body;
  const before = await sameNamed(creation);
  const [same] = before ?? [];
  if (same !== undefined)
    context.log.warn(`there is already a ${kind} called ${quoted(name)} (${same.id ?? 'without a number'})`);
  try {
    const { body } = await gateway.send(request);
    return hasId(body) ? body : await withId(body, creation, before);
  } catch (error) {
    if (error instanceof InterruptedError)
      context.log.warn(`the ${kind} ${quoted(name)} may have been made: look before you create it again`);
    if (!(error instanceof NetworkError || error instanceof InvalidResponseError)) throw error;
    const now = await sameNamed(creation);
    const made = newOne(before, now);
    if (made === undefined) {
      context.log.warn(absence(creation, before, now));
      throw error;
    }
    context.log.warn(
      `the answer was lost (${error.message}), but the ${kind} ${quoted(name)} exists now; nothing was sent twice`,
    );
    return { id: shownId(made), name: made.name };
  }
}

/** Everything of the kind that is called so; undefined when that can't be told. */
async function sameNamed({ name, list, read }: Creation): Promise<readonly Named[] | undefined> {
  try {
    const listing = await list();
    const named = read(listing);
    return isReadable(listing, named) ? named.filter(known => known.name.trim() === name.trim()) : undefined;
  } catch (error) {
    if (error instanceof InterruptedError || !(error instanceof GatectlError)) throw error;
    return undefined;
  }
}

/** The one that is there now and was not before: by its number where there are numbers, else by how many there are. */
function newOne(before: readonly Named[] | undefined, now: readonly Named[] | undefined): Named | undefined {
  if (before === undefined || now === undefined || now.length <= before.length) return undefined;
  return now.find(({ id }) => id !== undefined && !before.some(known => known.id === id)) ?? now.at(-1);
}

function absence(
  { kind, name }: Creation,
  before: readonly Named[] | undefined,
  now: readonly Named[] | undefined,
): string {
  const what = `the ${kind} ${quoted(name)}`;
  if (before === undefined || now === undefined)
    return `whether ${what} was made can't be told: look before you create it again`;
  return `${what} is not there, but may still come: look before you create it again`;
}

function hasId(body: Json): boolean {
  return isRecord(body)
    ? isPresent(anyFieldOf(body, 'Id', 'SegmentId', 'CustomReportId', 'ReportId'))
    : isPresent(body);
}

/** An answer that tells no number, with the one that the listing tells. */
async function withId(body: Json, creation: Creation, before: readonly Named[] | undefined): Promise<Json> {
  const made = newOne(before, await sameNamed(creation));
  if (made?.id === undefined) return body;
  return { id: shownId(made), ...(isRecord(body) ? body : { name: made.name }) };
}
