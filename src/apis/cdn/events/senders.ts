import {
  InvalidJsonError,
  integerOf,
  isJsonNumber,
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  parseJson,
  textOf,
} from '../../../json/index.ts';
import { type ContentEvent, contentEvent, type Delivery, EventRefused } from './content-event.ts';
import { SCHEMES, type SignedRequest } from './signatures.ts';

/** The events that a sender documents, but which change no published page. */
const IGNORED = 'ignored';

/** What the headers and the content of a request say; `ignored` for an event that changes no page. Throws EventRefused. */
type Translation = (body: JsonRecord, headers: SignedRequest['headers']) => JsonRecord | typeof IGNORED;

/** A CMS: how it signs, and what its requests say. */
interface Format {
  readonly scheme: keyof typeof SCHEMES;
  readonly translate: Translation;
}

/** What is changed for a page that is or was public. */
function kindOf(isPublic: boolean, wasPublic: boolean): ContentEvent['kind'] | undefined {
  if (isPublic) return wasPublic ? 'updated' : 'published';
  return wasPublic ? 'unpublished' : undefined;
}

/** Ghost: `post` or `page` with `current`, and in `previous` what was different. */
function ghost(body: JsonRecord): JsonRecord | typeof IGNORED {
  const event = textIn(body.event);
  const [, resource, verb] = /^(\w+)\.([\w.]+)$/.exec(event ?? '') ?? [];
  if (resource !== undefined && !['post', 'page'].includes(resource)) {
    if (['site', 'tag', 'member'].includes(resource)) return IGNORED;
    throw unknownEvent();
  }
  const type = isRecord(body.page) ? 'page' : 'post';
  const { current, previous } = recordIn(body[type]) ?? fail();
  const [now, before] = [recordIn(current) ?? {}, recordIn(previous) ?? {}];
  const isDeleted = Object.keys(now).length === 0;
  const isPublic = now.status === 'published';
  const wasPublic =
    before.status === undefined
      ? isPublic || (isDeleted && verb !== undefined)
      : before.status === 'published';
  const kind =
    verb === 'published' ? 'published' : verb === 'unpublished' ? 'unpublished' : kindOf(isPublic, wasPublic);
  if (verb !== undefined && !GHOST_VERBS.includes(verb)) throw unknownEvent();
  if (kind === undefined) return IGNORED;
  const given = textIn(now.url) ?? textIn(before.url);
  const url = !isPublic && GHOST_PREVIEW.test(given ?? '') ? undefined : given;
  const slug = textIn(now.slug);
  const oldSlug = textIn(before.slug);
  return {
    ...{ kind, type, entry: textIn(now.id) ?? textIn(before.id) ?? '' },
    time: textIn(now.updated_at) ?? null,
    paths: url === undefined ? [] : [pathIn(url)],
    old_paths:
      url !== undefined && slug !== undefined && oldSlug !== undefined
        ? [pathIn(renamed(url, slug, oldSlug))]
        : [],
    slugs: [slug ?? oldSlug ?? ''],
    old_slugs: oldSlug ?? null,
    tags: namesOf([now.tags, before.tags]),
    authors: namesOf([now.authors, before.authors]),
  };
}

/** The URL that Ghost sends of a post that is not published: not where its page was. */
const GHOST_PREVIEW = /\/(?:p\/[0-9a-f-]{36}|404)\/?(?:\?.*)?$/i;

const GHOST_VERBS: readonly string[] = [
  ...['added', 'deleted', 'edited', 'published', 'published.edited', 'unpublished', 'scheduled'],
  ...['unscheduled', 'rescheduled', 'tag.attached', 'tag.detached'],
];

/** A URL whose last name is another. */
function renamed(url: string, slug: string, oldSlug: string): string {
  const at = url.lastIndexOf(`/${slug}`);
  return at < 0 ? url : `${url.slice(0, at)}/${oldSlug}${url.slice(at + 1 + slug.length)}`;
}

/** WordPress: the request of the plug-in in `examples/wordpress`, which has the names of WordPress. */
function wordpress(body: JsonRecord): JsonRecord | typeof IGNORED {
  const [status, before] = [textIn(body.post_status), textIn(body.previous_status)];
  if (status === undefined) throw unknownEvent();
  const isPublic = status === 'publish';
  // Former paths of a draft may still redirect.
  const wasPublic = before === 'publish' || (!isPublic && body.was_public === true);
  const kind = kindOf(isPublic, wasPublic);
  if (kind === undefined) return IGNORED;
  const [url, oldUrl] = [textIn(body.permalink), textIn(body.previous_permalink)];
  const terms = (taxonomy: string) =>
    namesOf([body.terms, body.previous_terms].map(each => recordIn(each)?.[taxonomy]));
  return {
    ...{ kind, type: textIn(body.post_type) ?? '', entry: textIn(body.post_id) ?? '' },
    paths: url === undefined ? [] : [pathIn(url)],
    old_paths: oldUrl === undefined ? [] : [pathIn(oldUrl)],
    tags: terms('post_tag'),
    sections: terms('category'),
    authors: namesOf([body.author, body.previous_author]),
  };
}

/** Sanity: a document, or what the projection of the webhook makes of it. */
function sanity(body: JsonRecord, headers: SignedRequest['headers']): JsonRecord | typeof IGNORED {
  const entry = textIn(body._id) ?? fail();
  if (/^(?:drafts|versions)\./.test(entry)) return IGNORED;
  const operation = headers.get('sanity-operation') ?? 'update';
  const kind = SANITY_KINDS[operation];
  if (kind === undefined) throw unknownEvent();
  return {
    kind,
    type: textIn(body._type) ?? '',
    entry,
    locale: textIn(body.language) ?? null,
    time: textIn(body._updatedAt) ?? null,
    ...placesIn(body),
  };
}

const SANITY_KINDS: Readonly<Record<string, ContentEvent['kind']>> = {
  create: 'published',
  update: 'updated',
  delete: 'unpublished',
};

/** Contentful: an entry with its fields in each locale; of one that is withdrawn, often `sys` alone. */
function contentful(body: JsonRecord, headers: SignedRequest['headers']): JsonRecord | typeof IGNORED {
  const [, resource, action = ''] =
    /^ContentManagement\.(\w+)\.(\w+)$/.exec(headers.get('x-contentful-topic') ?? '') ?? [];
  if (resource === undefined) throw unknownEvent();
  const isWithdrawn = ['unpublish', 'delete', 'archive'].includes(action);
  if (resource !== 'Entry') return IGNORED;
  if (!isWithdrawn && action !== 'publish') {
    if (['create', 'save', 'auto_save', 'unarchive'].includes(action)) return IGNORED;
    throw unknownEvent();
  }
  const sys = recordIn(body.sys) ?? fail();
  const fields: JsonRecord = Object.fromEntries(
    Object.entries(recordIn(body.fields) ?? {}).map(([name, byLocale]) => [
      name,
      Object.values(recordIn(byLocale) ?? {}).flatMap(value =>
        isList(value) ? [...value] : [value ?? null],
      ),
    ]),
  );
  return {
    kind: isWithdrawn ? 'unpublished' : integerOf(sys.publishedCounter) === 1 ? 'published' : 'updated',
    type: textIn(recordIn(recordIn(sys.contentType)?.sys)?.id) ?? '',
    entry: textIn(sys.id) ?? '',
    time: textIn(sys.updatedAt) ?? textIn(sys.deletedAt) ?? null,
    ...placesIn(fields),
    tags: namesOf([fields.tags, fields.tag, recordIn(body.metadata)?.tags]),
  };
}

/** Strapi: an `entry`; one that is a draft has no `publishedAt`. */
function strapi(body: JsonRecord): JsonRecord | typeof IGNORED {
  const event = textIn(body.event) ?? fail();
  if (/^(?:media|review-workflows|releases)\.|^trigger-test$/.test(event)) return IGNORED;
  const entry = recordIn(body.entry) ?? {};
  const isDraft = entry.publishedAt === null;
  const kind = STRAPI_KINDS[event];
  if (kind === undefined) {
    if (event === 'entry.draft-discard') return IGNORED;
    throw unknownEvent();
  }
  if (isDraft && ['entry.create', 'entry.update'].includes(event)) return IGNORED;
  return {
    ...{ kind, type: textIn(body.model) ?? '', entry: textIn(entry.documentId) ?? textIn(entry.id) ?? '' },
    locale: textIn(entry.locale) ?? null,
    time: textIn(body.createdAt) ?? null,
    ...placesIn(entry),
  };
}

const STRAPI_KINDS: Readonly<Record<string, ContentEvent['kind']>> = {
  'entry.create': 'published',
  'entry.publish': 'published',
  'entry.update': 'updated',
  'entry.unpublish': 'unpublished',
  'entry.delete': 'unpublished',
};

/** Where a document is shown, by the usual names of its fields. */
function placesIn(fields: JsonRecord): JsonRecord {
  const either = (...names: readonly string[]) => namesOf(names.map(name => fields[name]));
  return {
    paths: either('path', 'paths', 'url')?.map(pathIn),
    old_paths: either('old_path', 'old_paths')?.map(pathIn),
    slugs: either('slug', 'slugs'),
    old_slugs: either('old_slug', 'old_slugs'),
    tags: either('tag', 'tags'),
    authors: either('author', 'authors'),
    sections: either('section', 'sections', 'category', 'categories'),
  };
}

/** The names in some values; undefined where none of them says which there are, as one that is absent or only counts them. */
function namesOf(values: readonly (Json | undefined)[]): string[] | undefined {
  const names = values.flatMap(namesIn);
  return names.length > 0 || values.some(isNone) ? names : undefined;
}

function isNone(value: Json | undefined): boolean {
  if (isRecord(value)) return isNone(value.data);
  return isList(value) ? value.length === 0 : value === null || value === '';
}

/** The names in a list, or of one value: a text, or an object with a slug or an id. */
function namesIn(value: Json | undefined): string[] {
  if (isList(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [textIn(value) ?? ''].filter(text => text !== '');
  if (isRecord(value.data) || isList(value.data)) return namesIn(value.data);
  const { slug, current, sys } = value;
  if (slug !== undefined) return namesIn(slug);
  return namesIn(current ?? recordIn(sys)?.id);
}

/** A path, completed where it is written without a slash at its beginning. */
function pathIn(text: string): string {
  return /^(?:\/|https?:)/i.test(text) ? text : `/${text}`;
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' || isJsonNumber(value) ? textOf(value) : undefined;
}

function recordIn(value: Json | undefined): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

function unknownEvent(): EventRefused {
  return new EventRefused('unknown_event', 'this event is not known');
}

function fail(): never {
  throw new EventRefused('invalid_event', 'the content is not that of an event of this sender');
}

const FORMATS_BY_NAME = {
  ghost: { scheme: 'ghost', translate: ghost },
  wordpress: { scheme: 'standard', translate: wordpress },
  sanity: { scheme: 'sanity', translate: sanity },
  contentful: { scheme: 'contentful', translate: contentful },
  strapi: { scheme: 'token', translate: strapi },
  json: { scheme: 'standard', translate: body => body },
} as const satisfies Record<string, Format>;

type FormatName = keyof typeof FORMATS_BY_NAME;
export const FORMATS = /* @__PURE__ */ Object.keys(FORMATS_BY_NAME) as readonly FormatName[];

/** Who sends events. */
export interface Sender {
  readonly format: FormatName;
  readonly secret: string;
  /** For `json`: the secret is the header `Authorization`, because this sender cannot sign. */
  readonly isToken?: boolean;
  /** For `json`: makes the event of the content; undefined for one that changes no page. */
  readonly map?: ((body: string) => Promise<Json | undefined>) | undefined;
}

/**
 * Checks the signature of a request and returns its event; undefined for one that changes no published page. Throws EventRefused for a
 * request that is not from the sender, is older or newer than `maxAgeMs`, or is no event that is known. Paths are below `site`.
 */
export async function verifiedEvent(
  { format, secret, isToken = false, map }: Sender,
  request: SignedRequest,
  { now, maxAgeMs, site }: { readonly now: number; readonly maxAgeMs: number; readonly site: string },
): Promise<ContentEvent | undefined> {
  const { scheme, translate }: Format = FORMATS_BY_NAME[format];
  const delivery = await SCHEMES[isToken ? 'token' : scheme](request, secret);
  assertFresh(delivery, now, maxAgeMs);
  const text = new TextDecoder().decode(request.body);
  const content = jsonIn(text);
  const body = map === undefined ? content : await map(text);
  if (body === undefined || body === null) return undefined;
  const translated = translate(recordIn(body) ?? fail(), request.headers);
  if (translated === IGNORED) return undefined;
  // The id is what was signed, where something was.
  const { id: _, ...rest } = translated;
  const isSigned = !Number.isNaN(delivery.time);
  const described = isSigned ? rest : translated;
  // Without an id or a time, the same content again may be another update.
  const isNamed = isSigned || [described.id, described.time].some(each => textIn(each) !== undefined);
  const id = isNamed ? delivery.id : crypto.randomUUID();
  const event = contentEvent(described, { id, time: isSigned ? delivery.time : now }, site);
  if (!isSigned) assertFresh({ ...delivery, time: Date.parse(event.time) }, now, maxAgeMs);
  return event;
}

/** JSON values in one request. */
const MOST_VALUES = 200_000;

function assertFresh({ time }: Delivery, now: number, maxAgeMs: number): void {
  if (Math.abs(now - time) > maxAgeMs)
    throw new EventRefused(
      'stale',
      `it was sent more than ${Math.round(maxAgeMs / 1000)} s ago, or later than now`,
    );
}

function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text, MOST_VALUES);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new EventRefused('invalid_event', 'the content is not JSON');
  }
}
