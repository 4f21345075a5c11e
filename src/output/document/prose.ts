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

/** The text of Markdown without its marks, a line for each paragraph, heading, item and row. A link is followed by its address. */
export function proseLines(markdown: string): string[] {
  return new Marked({ gfm: true }).lexer(markdown).flatMap(linesOf);
}

function linesOf(token: Token): string[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return [];
    case 'list':
      return (token as Tokens.List).items.flatMap(({ tokens }, at) =>
        tokens
          .flatMap(linesOf)
          .map((line, place) => `${place > 0 ? '  ' : token.ordered ? `${at + 1}. ` : '• '}${line}`),
      );
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map(cells => cells.map(({ tokens }) => plainText(tokens)).join('  '));
    }
    case 'blockquote':
      return (token.tokens ?? []).flatMap(linesOf);
    case 'paragraph':
    case 'heading':
    case 'text':
      return plainText(token.tokens ?? [token]).split('\n');
    default:
      return (token as Tokens.Generic).text?.split('\n') ?? [];
  }
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(token => {
      if (token.type === 'br') return '\n';
      if (token.type === 'escape') return token.text;
      if (token.type === 'html') return token.text;
      const text =
        'tokens' in token && token.tokens
          ? plainText(token.tokens)
          : 'text' in token
            ? token.text
            : token.raw;
      return token.type === 'link' && LINK.test(token.href) && token.href !== text
        ? `${text} (${token.href})`
        : text;
    })
    .join('');
}
