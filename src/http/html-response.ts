/** What only a web page begins with. */
const BEGINNINGS = /^<(!doctype html|html|head|body|title|meta|script|style|h1|center|!--)/i;
/** As far as a page is looked at. */
const HEAD_LENGTH = 8192;
const LONGEST_TITLE = 80;

/** Whether an answer is a web page, as a proxy, a firewall or a login page sends it in place of a gateway. */
export function isWebPage(text: string, contentType: string | undefined): boolean {
  const start = text.slice(0, HEAD_LENGTH).trimStart();
  return start.startsWith('<') && (/html/i.test(contentType ?? '') || BEGINNINGS.test(start));
}

/** The title of a web page, where it has one of reasonable length: whole, so that secrets in it are found. Not made printable. */
export function pageTitle(text: string): string | undefined {
  const [, inside = ''] = /<title[^>]*>([^<]*)</i.exec(text.slice(0, HEAD_LENGTH)) ?? [];
  const title = inside.trim().replace(/\s+/g, ' ');
  return title === '' || title.length > LONGEST_TITLE ? undefined : title;
}
