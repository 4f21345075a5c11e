import { quoted } from '../../apis/bda/catalogue.ts';
import { anyFieldOf, isPresent } from '../../apis/bda/fields.ts';
import { isReadable, type Named, shownId } from '../../apis/bda-v1/definition.ts';
import { GatectlError, InterruptedError, InvalidResponseError, NetworkError } from '../../errors/index.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { isRecord, type Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';

/** A resource to create with a request that is not idempotent. */
interface CreateOnceOptions {
  /** Its kind in messages, such as `segment`. */
  readonly kind: string;
  readonly name: string;
  readonly request: GatewayRequest;
  /** Lists all resources of this kind. */
  readonly list: () => Promise<Json>;
  /** Reads the names and ids of the listing. */
  readonly read: (listing: Json) => readonly Named[];
}

/**
 * Sends the request once. After a failure with an unknown result it lists the resources and returns the new one, if there is
 * one. Otherwise throws the failure, with a warning whether the resource may exist.
 */
export async function createOnce(creation: CreateOnceOptions, context: Context): Promise<Json> {
  const { kind, name, request } = creation;
  const gateway = await context.gateway();
  if (context.globals.curl) return (await gateway.send(request)).body;
  const before = await findByName(creation);
  const [same] = before ?? [];
  if (same !== undefined)
    context.log.warn(`a ${kind} ${quoted(name)} already exists (${same.id ?? 'without an id'})`);
  try {
    const { body } = await gateway.send(request);
    return hasId(body) ? body : await withId(body, creation, before);
  } catch (error) {
    if (error instanceof InterruptedError)
      context.log.warn(`the ${kind} ${quoted(name)} may have been created; check before you create it again`);
    if (!(error instanceof NetworkError || error instanceof InvalidResponseError)) throw error;
    const now = await findByName(creation);
    const created = findCreated(before, now);
    if (created === undefined) {
      context.log.warn(notFoundText(creation, before, now));
      throw error;
    }
    context.log.warn(
      `no response (${error.message}), but the ${kind} ${quoted(name)} exists now; the request was not repeated`,
    );
    return { id: shownId(created), name: created.name };
  }
}

/** All resources with this name; undefined if the listing fails. */
async function findByName({ name, list, read }: CreateOnceOptions): Promise<readonly Named[] | undefined> {
  try {
    const listing = await list();
    const named = read(listing);
    return isReadable(listing, named) ? named.filter(known => known.name.trim() === name.trim()) : undefined;
  } catch (error) {
    if (error instanceof InterruptedError || !(error instanceof GatectlError)) throw error;
    return undefined;
  }
}

/** The resource that was added between two listings: by its id, or else by their number. */
function findCreated(
  before: readonly Named[] | undefined,
  now: readonly Named[] | undefined,
): Named | undefined {
  if (before === undefined || now === undefined || now.length <= before.length) return undefined;
  return now.find(({ id }) => id !== undefined && !before.some(known => known.id === id)) ?? now.at(-1);
}

function notFoundText(
  { kind, name }: CreateOnceOptions,
  before: readonly Named[] | undefined,
  now: readonly Named[] | undefined,
): string {
  const what = `the ${kind} ${quoted(name)}`;
  if (before === undefined || now === undefined)
    return `cannot determine whether ${what} was created; check before you create it again`;
  return `${what} does not exist yet, but may still be created; check before you create it again`;
}

function hasId(body: Json): boolean {
  return isRecord(body)
    ? isPresent(anyFieldOf(body, 'Id', 'SegmentId', 'CustomReportId', 'ReportId'))
    : isPresent(body);
}

/** Adds the id from the listing to a response without one. */
async function withId(
  body: Json,
  creation: CreateOnceOptions,
  before: readonly Named[] | undefined,
): Promise<Json> {
  const created = findCreated(before, await findByName(creation));
  if (created?.id === undefined) return body;
  return { id: shownId(created), ...(isRecord(body) ? body : { name: created.name }) };
}
