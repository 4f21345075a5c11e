/** A page, with its URL under one combination of URL options. */
interface Page {
  readonly url: string;
  readonly title: string;
  readonly author: string | null;
}

export interface UrlOptions {
  readonly queryParams: boolean;
  readonly fragments: boolean;
  readonly lowerCase: boolean;
}

const LONG_QUERY = Array.from({ length: 90 }, (_, index) => `filter_${index}=value-${index * 7919}`).join(
  '&',
);

/** Path, title, author: most popular first. Several differ only in query, fragment or case. */
const PAGES: readonly (readonly [path: string, title: string, author: string | null])[] = [
  ['/', 'Front page', null],
  ['/news/top-stories', 'Top stories', 'Ada Marsh'],
  ['/news/top-stories?utm_source=newsletter&utm_medium=email', 'Top stories', 'Ada Marsh'],
  ['/news/top-stories#comments', 'Top stories', 'Ada Marsh'],
  ['/News/Top-Stories', 'Top stories', 'Ada Marsh'],
  ['/weather', 'Weather', null],
  ['/sports/', 'Sports', 'Bo Lind'],
  ['/articles/long-read', 'The long read', 'Chidi Okafor'],
  ['/articles/long-read?page=2', 'The long read, page 2', 'Chidi Okafor'],
  ['/articles/long-read?page=2#notes', 'The long read, page 2', 'Chidi Okafor'],
  ['/articles/election-night', 'Election night: “live”', 'Ada Marsh'],
  ['/recipes/"grandmas"-apple-pie', 'Grandma\'s "best" apple pie', "Dara O'Neill"],
  ['/recipes/bread,butter,salt', 'Bread, butter, salt', "Dara O'Neill"],
  ['/blog/🚀-launch-day', 'Launch day 🚀🎉', 'Émile Zäh'],
  ['/blog/caf%C3%A9-culture', 'Café culture', 'Émile Zäh'],
  ['/blog/übermut', 'Übermut', 'Émile Zäh'],
  ['/日本/東京', '東京の朝', '山田 花子'],
  ['/search?q=', 'Search', null],
  ['/search?q=a&q=b&empty=&flag#results', 'Search: a b', null],
  ['/shop/item;jsessionid=A1B2C3?ref=home,top|side', 'Item\twith a tab', null],
  ['/100%25-wool_socks', '100% wool_socks', 'Bo Lind'],
  ["/it's-a-title?x='1'", "It's a title", 'Bo Lind'],
  ['/tables/a b  c', 'Two  blanks\nand a line break', null],
  ['/finance/q3', '=SUM(A1:A9)', 'Bo Lind'],
  ['/finance/q4', '-1+2', 'Bo Lind'],
  ['/legal/back\\slash', 'C:\\temp\\file', null],
  ['/dev/escape-codes', 'Escape \u001b[31mcodes\u001b[0m and a bell\u0007', 'Émile Zäh'],
  ['/i18n/rtl', 'abc \u202edesrever\u202c \u05e9\u05dc\u05d5\u05dd', null],
  ['/null', 'null', 'null'],
  ['/0123456789', '0123456789', null],
  [`/archive?${LONG_QUERY}`, 'Archive', null],
  ['/about', 'About us', null],
];

/** Number of pages per site. */
export const PAGES_PER_SITE = PAGES.length;

/** The pages of a site, most popular first, with their URLs under these options. */
export function pagesOf(domain: string, options: UrlOptions): Page[] {
  return PAGES.map(([path, title, author]) => {
    const [rest = '', ...fragment] = path.split('#');
    const [bare = '', ...query] = rest.split('?');
    const shown =
      bare +
      (options.queryParams && query.length > 0 ? `?${query.join('?')}` : '') +
      (options.fragments && fragment.length > 0 ? `#${fragment.join('#')}` : '');
    const url = `https://www.${domain}${shown}`;
    return { url: options.lowerCase ? url.toLowerCase() : url, title, author };
  });
}

const BOOLEANS = [true, false];

/** Every combination of URL options. */
export const URL_OPTIONS: readonly UrlOptions[] = BOOLEANS.flatMap(queryParams =>
  BOOLEANS.flatMap(fragments => BOOLEANS.map(lowerCase => ({ queryParams, fragments, lowerCase }))),
);

/** The table of pages for these options. */
export function pageTable({ queryParams, fragments, lowerCase }: UrlOptions): string {
  return `page_${Number(queryParams)}${Number(fragments)}${Number(lowerCase)}`;
}
