import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import { withoutTracking } from './item-key.ts';
import { decoded, namesAddress } from './mask-addresses.ts';
import { isMailAddress } from './reader.ts';

/** What a pasted text names: an address, or a mail, a link, a line of a table with one in it. */
export interface PastedText {
  /** Each once, in their order. Two are a list. */
  readonly emails: readonly string[];
  /** Pages, without parameters for tracking and without addresses. */
  readonly items: readonly string[];
  /** By a page whose link ends at the end of a line: the same link with the first word of the next line. */
  readonly wrapped: ReadonlyMap<string, string>;
  /** Handles that are typed with a plus: `+premium`. */
  readonly products: readonly string[];
  readonly orders: readonly string[];
  /** Whether it asks for money back. */
  readonly asksRefund: boolean;
  /** What was found in it, without an address; undefined where it is nothing but one. */
  readonly taken: Taken | undefined;
  /** What is wrong inside an address. */
  readonly problem: string | undefined;
}

/** What was found in a text; no address is in it. */
export interface Taken {
  /** Number of addresses. */
  readonly emails: number;
  /** The header of a mail that they are of. */
  readonly sender: string | undefined;
  /** Number of addresses in the text besides those of the sender. */
  readonly others: number;
  /** Places without an address in a list of them. */
  readonly skipped: readonly Place[];
  readonly items: readonly string[];
  /** Whether a page was without its tracking. */
  readonly isTracked: boolean;
  readonly orders: readonly string[];
  readonly asksRefund: boolean;
  /** Hosts of pages that are none of the site; and pages of the site, without a scheme, that are no articles or are quoted. */
  readonly ignored: readonly string[];
}

/** A line of a text, or a word of one line, counted from 1. */
export interface Place {
  readonly unit: 'line' | 'word';
  readonly number: number;
}

/** A longer text is no mail of a reader. */
export const MAX_CHARACTERS = 100_000;
/** Quotation marks are not part of an address; invisible characters are, so that a damaged one is not taken for a shorter one. */
const ADDRESS =
  /(?:"[^"\n]{1,64}"|[^\s<>()[\]{}",;:=&?/\\|@\u201c-\u201f\xab\xbb\u2039\u203a]{1,64})@(?:[\p{L}\p{N}\p{Cf}_-]{1,63}\.){1,8}[\p{L}\p{N}\p{Cf}_-]{1,63}/giu;
/** What mail programs print before an address in angle brackets may be an address itself. */
const DISPLAYED_ADDRESS =
  /["']?[^\s<>"',;@]{1,64}@[^\s<>"',;@]{1,255}["']?\s{0,9}(?=<(?:mailto:)?[^<>\s@]{1,64}@)/gi;
const MAILTO = /mailto:([^\s<>"'?]{1,1000})(?:\?[^\s<>"']{0,2000})?/gi;
/** A link of Markdown, with its text and its target. */
const MARKDOWN =
  /\[([^[\]\n]{0,500})\]\(<?((?:https?:\/\/|www\.)[^\s<>()]{1,2000})>?(?:[ \t]+"[^"\n]{0,200}")?\)/giu;
const LINK = /(?:https?:\/\/|\bwww\.)[^\s<>"'\u201c-\u201f\xab\xbb]{1,2000}/giu;
/** The sender in the header of a mail, in the words of mail programs, with the lines that continue it. */
const SENDER =
  /^[> \t*]{0,20}(reply-to|antwort an|répondre à|responder a|from|von|de)[* \t]{0,9}:([^\n]{0,1000}(?:\n[ \t]+[^\n]{1,1000}){0,20})/gimu;
const REPLIES = ['reply-to', 'antwort an', 'répondre à', 'responder a'];
const ORDER =
  /(?:\b(?:order|bestell(?:ung|nummer|-?nr)|auftrag|rechnung|invoice|receipt|commande|facture|pedido|factura)\b(?:[ \t]*(?:number|nummer|numéro|número|no|nr|n)\b)?|(?<!\b(?:ticket|case|issue|request|fall|vorgang|anfrage|incidencia|demande)(?:[ \t]?(?:id|no|nr|number|nummer))?[ \t.:]{0,3})#)[ \t.:#°-]{0,6}([\p{L}\p{N}][\p{L}\p{N}_-]{0,39}(?:[/.][\p{L}\p{N}_-]{1,39}){0,4})/giu;
const REFUND =
  /refund|money back|charge ?back|erstatt|geld\s(?:\S{1,30}\s){0,3}zurück|rembours|reembols|devoluci|devuelv|devolver/iu;
/** What mail programs print before a quotation. */
const ATTRIBUTION =
  /^[ \t>]*(?:on|am|le|el)\b[^\n]{1,300}(?:\n[^\n]{0,200}?)?(?:\bwrote|\bschrieb\b[^\n:]{0,200}|\ba écrit|\bescribió)[ \u00a0]?:[ \t]*$/gimu;
/** Paths of a site's own pages that are linked below its mails, without those of articles. */
const OWN_PAGE =
  /^(?:\/[a-z]{2}(?:-[a-z]{2})?)?(?:\/(?:index\.\w+)?|\/(?:unsubscribe|account|login|preferences)(?:[/.].*)?|\/(?:my-?account|log-in|sign-?in|sign-?up|logout|register|settings|imprint|privacy(?:-policy)?|terms|contact|faq|abmelden|konto|mein-konto|anmelden|impressum|datenschutz|agb|kontakt|mentions-legales|confidentialite|compte|mon-compte|connexion|desabonnement|aviso-legal|privacidad|cuenta|mi-cuenta|contacto)(?:\.\w+)?\/?)$/i;
const HANDLE =
  /(?:^|\s)\+(?=\S{0,99}\p{L})([\p{L}\p{N}][\p{L}\p{N}_.-]{0,99}(?:,\+?[\p{L}\p{N}][\p{L}\p{N}_.-]{0,99}){0,20})(?=\s|$)/gu;
/** Where a forwarded mail starts, or one that is answered, in the words of mail programs. */
const FORWARDED =
  /^[ \t>]*(?:-{2,}[ \t]*(?:(forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado)|original message|ursprüngliche nachricht|message d['’]origine|mensaje original)[ \t]*-{2,}|(begin forwarded message|anfang der weitergeleiteten nachricht|début du message transféré|inicio del mensaje reenviado)[ \u00a0]?:)[ \t]*$/imu;
const FORWARD_SUBJECT = /^(?:subject|betreff|objet|asunto)[ \t]*:[ \t]*(?:fwd?|wg|tr|rv)[ \t]*:/imu;
const RECIPIENT = /^(?:to|an|à|para)[ \t]*:[^\n]*/imu;

/**
 * Finds readers, pages, products and order numbers in a text. An address alone is taken as it is. With a domain, only pages of it and
 * of its subdomains are taken.
 */
export function readPaste(given: string, domain?: string): PastedText {
  const whole = withoutPasteDamage(given);
  const nothing = {
    emails: [],
    items: [],
    wrapped: new Map(),
    products: [],
    orders: [],
    asksRefund: false,
    taken: undefined,
  };
  if ('value' in whole && isMailAddress(whole.value))
    return { ...nothing, emails: [whole.value], problem: undefined };
  // One value with damage inside it, rather than a text.
  if ('problem' in whole && !/[ \t\n<,;:]/.test(given.trim())) return { ...nothing, problem: whole.problem };
  if (given.length > MAX_CHARACTERS)
    return { ...nothing, problem: `is longer than ${MAX_CHARACTERS} characters` };
  const text = given.replaceAll('\ufeff', '\u200b').replace(/\r\n?/g, '\n').replace(DISPLAYED_ADDRESS, ' ');
  const { own, quoted } = regionsOf(text);
  const { rest, links: all } = withoutLinks(own);
  const links = all.map(link => ofDomain(link, domain));
  const sender = senderIn(rest);
  const inText = addressesIn(rest);
  const found = sender === undefined ? inText : addressesIn(sender.text);
  const inLinks = links.flatMap(({ address }) => address ?? []);
  const emails = found.emails.length > 0 ? found.emails : unique(inLinks);
  const items = unique(links.flatMap(({ item }) => item ?? []));
  const products = unique([...rest.matchAll(HANDLE)].flatMap(([, handles = '']) => handles.split(/,\+?/)));
  const orders = emails.length === 0 && items.length === 0 ? soleOrder(rest) : [];
  const named = unique([...[...rest.matchAll(ORDER)].map(([, order = '']) => order), ...orders]).filter(
    order => order.length > 2 && /\d{3}/.test(order),
  );
  const asksRefund = REFUND.test(rest);
  const others = unique([...inText.emails, ...inLinks]).filter(email => !includes(emails, email)).length;
  const isTracked = links.some(({ item, isTracked }) => item !== undefined && isTracked);
  const quotedPages = withoutLinks(quoted).links.flatMap(link => {
    const { item, ignored: place } = ofDomain(link, domain);
    return place ?? (item === undefined || includes(items, item) ? [] : placeOf(item));
  });
  const ignored = unique([...links.flatMap(({ ignored: place }) => place ?? []), ...quotedPages]);
  const wrapped = new Map(
    links.flatMap(({ item, joined }) =>
      item === undefined || joined === undefined ? [] : [[item, joined] as const],
    ),
  );
  const taken = takenFrom({
    emails: emails.length,
    skipped: emails.length > 1 && sender === undefined ? withoutAddress(rest) : [],
    items,
    orders: named,
    asksRefund,
    sender: sender?.name,
    others,
    isTracked,
    ignored,
  });
  return { emails, items, wrapped, products, orders: named, asksRefund, taken, problem: found.problem };
}

/** A mail whose header says that its text is encoded, with that text decoded; any other text as it is. */
export async function withDecodedMail(text: string): Promise<string> {
  if (!/^content-transfer-encoding:/im.test(text) || text.length > MAX_CHARACTERS) return text;
  const { decodedMail, isEncodedMail } = await import('./mail-text.ts');
  return isEncodedMail(text) ? decodedMail(text) : text;
}

/** Whether a text begins with the header of a mail, which names a sender. */
export function isMail(text: string): boolean {
  const [header = ''] = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .trimStart()
    .split(/\n[ \t]*\n/, 1);
  const lines = header.slice(0, MAX_CHARACTERS).split('\n');
  const isHeader = (line: string) => /^(?:[\p{L}\d-]{1,60}(?: \p{L}{1,20})?:|[ \t]|From )/u.test(line);
  return lines.length > 1 && lines.every(isHeader) && senderIn(header) !== undefined;
}

interface Link {
  readonly item: string | undefined;
  readonly address: string | undefined;
  readonly isTracked: boolean;
  /** The link with the word that follows on the next line, if it ends its line. */
  readonly joined?: string | undefined;
  /** What to call a page that is no item: its host, or host and path. */
  readonly ignored?: string;
}

/**
 * What the sender wrote, and what it quotes: lines after `>`, and the line that names the author of these. Lines keep their numbers. A
 * text that is quoted as a whole, or has an address in its quotation alone, is read as one.
 */
function regionsOf(text: string): { readonly own: string; readonly quoted: string } {
  const blank = (part: string) => part.replace(/[^\n]/g, '');
  const own = text.replace(ATTRIBUTION, blank).replace(/^[ \t]*>[^\n]*/gm, blank);
  const unquoted = text.replace(/^[ \t]*(?:>[ \t]?)+/gm, '');
  if (own.trim() === '') return { own: unquoted, quoted: '' };
  const names = (part: string) => addressesIn(decoded(part)).emails.length > 0;
  if (!names(own) && names(text)) return { own: unquoted, quoted: '' };
  const quoted = text
    .split('\n')
    .filter(line => /^[ \t]*>/.test(line))
    .join('\n');
  return { own, quoted };
}

/** The links of a text, and the text with the addresses of `mailto:` in the place of these links. */
function withoutLinks(text: string): { readonly rest: string; readonly links: readonly Link[] } {
  const links: Link[] = [];
  const rest = text
    .replace(MAILTO, (_, addresses: string) => ` ${decoded(addresses).replaceAll(',', ' ')} `)
    .replace(MARKDOWN, (_, label: string, target: string) => {
      links.push(linkOf(target));
      return ` ${label.replace(LINK, ' ')} `;
    })
    .replace(LINK, (link, at: number, whole: string) => {
      const page = trimmed(link);
      const [, next] =
        /^[ \t]*\n[ \t]*([^\s<>"']{1,200})/.exec(whole.slice(at + page.length, at + page.length + 400)) ?? [];
      const isNext = next !== undefined && !/^(?:https?:|www\.)/i.test(next);
      const joined = isNext ? linkOf(trimmed(page.replace(/=$/, '') + next)).item : undefined;
      links.push({ ...linkOf(page), joined });
      return ' ';
    });
  return { rest, links };
}

/** A link without the punctuation of its sentence. */
function trimmed(link: string): string {
  return link.replace(/[.,;:!?)\]}*]+$/, '');
}

/** A page of another domain, such as that of a signature, is no item of the site; nor are the site's own pages about the account. */
function ofDomain(link: Link, domain: string | undefined): Link {
  const url = urlOf(link.item);
  if (domain === undefined || url === undefined) return link;
  const { hostname, pathname, search } = url;
  const isOwn = hostname === domain || hostname.endsWith(`.${domain.replace(/^www\./, '')}`);
  const isBare = `www.${hostname}` === domain;
  if (!isOwn && !isBare) return { ...link, item: undefined, ignored: hostname };
  const isHome = /^\/?$/.test(pathname) && search !== '';
  return isHome || !OWN_PAGE.test(pathname) ? link : { ...link, item: undefined, ignored: placeOf(url.href) };
}

function urlOf(item: string | undefined): URL | undefined {
  const address = /^https?:/i.test(item ?? '') ? item : `https://${item}`;
  return item === undefined || !URL.canParse(address ?? '') ? undefined : new URL(address ?? '');
}

/** Host and path of a page. */
function placeOf(item: string): string {
  const url = urlOf(item);
  return url === undefined ? item : url.hostname + url.pathname;
}

/** The page that a mail program or a search engine wrapped in a link of its own. */
function unwrapped(link: string): string {
  if (!URL.canParse(link)) return link;
  const { hostname, pathname, searchParams } = new URL(link);
  const isSafe = hostname.endsWith('.safelinks.protection.outlook.com');
  const isSearch = /^(?:www\.)?google\.[a-z.]{2,6}$/.test(hostname) && pathname === '/url';
  const [, defended = null] = /^https?:\/\/urldefense\.com\/v3\/__(https?:\/\/.+?)__;/i.exec(link) ?? [];
  if (defended !== null) return defended;
  const inner = isSafe
    ? searchParams.get('url')
    : isSearch
      ? (searchParams.get('q') ?? searchParams.get('url'))
      : null;
  return inner !== null && /^https?:\/\//i.test(inner) ? inner : link;
}

/** A newsletter adds the reader's address to its links: it is no part of the page, and must not be sent in a URL. */
function linkOf(given: string): Link {
  const link = unwrapped(given);
  const address = addressesIn(decoded(link).replaceAll(/[/?&=#]/g, ' ')).emails[0];
  const item = withoutTracking(link, (_, value) => namesAddress(value));
  return { item: namesAddress(item) ? undefined : item, address, isTracked: item !== link };
}

/**
 * The sender of a mail: of the forwarded one where it forwards one. Two mail programs mark the mail that is answered alike: it is none
 * that is forwarded if it is from whom the answer goes to.
 */
function senderIn(text: string): { readonly name: string; readonly text: string } | undefined {
  const mark = FORWARDED.exec(text);
  if (mark === null) return headerSender(text);
  const outer = text.slice(0, mark.index);
  const [inside = ''] = text.slice(mark.index + mark[0].length).split(FORWARDED, 1);
  const [own, inner] = [headerSender(outer), headerSender(inside)];
  if (own === undefined || inner === undefined) return own ?? inner ?? headerSender(text);
  const recipients = addressesIn(RECIPIENT.exec(outer)?.[0] ?? '').emails;
  const isAnswered = addressesIn(inner.text).emails.some(email => includes(recipients, email));
  const isForwarded = mark[1] !== undefined || mark[2] !== undefined || FORWARD_SUBJECT.test(outer);
  return isForwarded || !isAnswered ? inner : own;
}

/** The header that answers go to: Reply-To, or else From; the first with an address. */
function headerSender(text: string): { readonly name: string; readonly text: string } | undefined {
  const senders = [...text.matchAll(SENDER)]
    .map(([, name = '', value = '']) => ({ name, text: value }))
    .filter(({ text: value }) => addressesIn(value).emails.length > 0);
  return senders.find(({ name }) => REPLIES.includes(name.toLowerCase())) ?? senders[0];
}

function addressesIn(text: string): {
  readonly emails: readonly string[];
  readonly problem: string | undefined;
} {
  const emails: string[] = [];
  let problem: string | undefined;
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const [mark = ''] = /^['`*_~]/.exec(match) ?? [];
    const isQuoted = mark !== '' && text[index + match.length] === mark;
    const pasted = withoutPasteDamage(isQuoted ? match.slice(1) : match);
    if ('problem' in pasted) problem ??= pasted.problem;
    else if (isMailAddress(pasted.value) && !includes(emails, pasted.value)) emails.push(pasted.value);
  }
  return { emails, problem };
}

/** A text that is one word with digits is most likely the number of an order. */
function soleOrder(text: string): readonly string[] {
  const [, order] = /^\s*#?([\p{L}\p{N}][\p{L}\p{N}_-]{3,39})\s*$/u.exec(text) ?? [];
  return order === undefined ? [] : [order];
}

/** The places of a list of addresses that have none, or a mistyped one: its lines, or the words of one line. */
function withoutAddress(text: string): Place[] {
  const lines = text.trim().split('\n');
  const isOneLine = lines.length === 1;
  const pieces = isOneLine ? text.trim().split(/[\s,;]+/) : lines;
  const isAddress = (piece: string) => isMailAddress(piece.replace(/[,;]\s*$/, '').trim());
  const isList = pieces.filter(isAddress).length >= 2;
  return pieces.flatMap((piece, at) => {
    const words = piece.split(/[\s,;<>()]+/).filter(word => word !== '');
    const has = (part: string) => addressesIn(part).emails.length > 0;
    const isMistyped = words.some(word => /[^@]@/.test(word) && !has(word));
    const isOther = isList && words.length > 0 && !NO_ADDRESS.test(piece) && !has(piece);
    return isMistyped || isOther ? [{ unit: isOneLine ? 'word' : 'line', number: at + 1 }] : [];
  });
}

/** A header, or a product. */
const NO_ADDRESS = /^\s*(?:"?(?:e-?mail|reader)\b|\+)/i;

function takenFrom(found: Taken): Taken | undefined {
  const { emails, skipped, items, orders, asksRefund, ignored } = found;
  const isNothing = emails === 0 && !asksRefund && [...skipped, ...items, ...orders, ...ignored].length === 0;
  return isNothing ? undefined : found;
}

/** The texts without those that differ from an earlier one in case only. */
function unique(texts: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of texts) if (!found.has(text.toLowerCase())) found.set(text.toLowerCase(), text);
  return [...found.values()];
}

function includes(texts: readonly string[], text: string): boolean {
  return texts.some(each => each.toLowerCase() === text.toLowerCase());
}
