import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../text/markup.ts';

/** Links of other schemes could run code or open files. */
const LINK = /^(?:https?:\/\/|mailto:)/i;
const LOWEST = 6;

/**
 * Markdown as HTML: headings, emphasis, lists, quotes, code, links and tables. HTML in it is shown as text, and nothing is fetched: of an
 * image its description remains. The largest heading becomes `level`.
 */
export function proseHtml(markdown: string, level: number): string {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const largest = Math.min(...tokens.filter(isHeading).map(({ depth }) => depth), LOWEST);
  marked.use({
    renderer: {
      heading({ depth, tokens }) {
        const own = Math.min(LOWEST, depth - largest + level);
        return `<h${own}>${this.parser.parseInline(tokens)}</h${own}>\n`;
      },
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return LINK.test(href) ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${text}</a>` : text;
      },
      // A form element that does nothing.
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    },
  });
  return marked.parser(tokens);
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}
