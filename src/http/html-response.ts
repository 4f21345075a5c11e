/** Markup that starts a web page. */
const BEGINNINGS = /^<(!doctype html|html|head|body|title|meta|script|style|h1|center|!--)/i;
/** The bytes of a page to examine. */
const HEAD_LENGTH = 8192;
const LONGEST_TITLE = 80;

/** Whether a response is a web page, as sent by a proxy, a firewall or a login page instead of the gateway. */
export function isWebPage(text: string, contentType: string | undefined): boolean {
  const start = text.slice(0, HEAD_LENGTH).trimStart();
  return start.startsWith('<') && (/html/i.test(contentType ?? '') || BEGINNINGS.test(start));
}

/**
 * The title of a web page, if it has one of reasonable length. Neither truncated nor joined to one line, so that redaction finds
 * secrets in it; not printable yet.
 */
export function pageTitle(text: string): string | undefined {
  const [, inside = ''] = /<title[^>]*>([^<]*)</i.exec(text.slice(0, HEAD_LENGTH)) ?? [];
  const title = inside.trim().replace(/[^\S\r\n]+/g, ' ');
  return title === '' || title.length > LONGEST_TITLE ? undefined : title;
}
