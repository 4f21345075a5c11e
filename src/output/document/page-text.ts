import { Marked, type Token, type Tokens } from 'marked';
import { wrap } from '../../terminal/width.ts';
import { table } from '../table.ts';
import type { Style } from '../view.ts';

/** The longest line of prose that is read with ease. */
const MAX_WIDTH = 100;

/** A page of Markdown for a terminal: prose is wrapped, code is indented, tables have columns. `commandFor` names what opens a linked page. */
export function pageText(
  markdown: string,
  style: Style,
  commandFor: (link: string) => string | undefined,
): string {
  const width = Math.min(style.width ?? MAX_WIDTH, MAX_WIDTH);
  const blocks = new Marked({ gfm: true })
    .lexer(markdown)
    .map(token => block(token, width, style, commandFor));
  return `${blocks
    .filter(lines => lines.length > 0)
    .map(lines => `${lines.join('\n')}\n`)
    .join('\n')}`;
}

function block(
  token: Token,
  width: number,
  style: Style,
  commandFor: (link: string) => string | undefined,
): string[] {
  const inline = (tokens: readonly Token[] = []): string =>
    tokens.map(each => inlineText(each, commandFor)).join('');
  const prose = (tokens: readonly Token[] | undefined): string[] =>
    wrap(inline(tokens).replaceAll('\n', ' '), width);
  switch (token.type) {
    case 'heading':
      return prose(token.tokens).map(line => style.paint.bold(line));
    case 'paragraph':
      return prose(token.tokens);
    case 'text':
      return prose(token.tokens ?? [token]);
    case 'code':
      return token.text
        .split('\n')
        .map((line: string) => (line === '' ? '' : `    ${style.paint.cyan(line)}`));
    case 'list':
      return (token as Tokens.List).items.flatMap(({ tokens }, at) => {
        const mark = token.ordered ? `${Number(token.start || 1) + at}. ` : '- ';
        const lines = tokens.flatMap(each => block(each, width - mark.length, style, commandFor));
        return lines.map((line, place) => (place === 0 ? mark : ' '.repeat(mark.length)) + line);
      });
    case 'blockquote':
      return (token.tokens ?? []).flatMap(each =>
        block(each, width - 2, style, commandFor).map(line => `  ${line}`),
      );
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const columns = header.map(({ tokens }, at) => ({
        key: String(at),
        title: inline(tokens) || ' ',
        kind: 'text' as const,
      }));
      const data = rows.map(cells =>
        Object.fromEntries(cells.map(({ tokens }, at) => [String(at), inline(tokens)])),
      );
      return table(data, { columns }, style).trimEnd().split('\n');
    }
    default:
      // Comments and other HTML, definitions of links, rulers.
      return [];
  }
}

function inlineText(token: Token, commandFor: (link: string) => string | undefined): string {
  const text = () =>
    'tokens' in token && token.tokens
      ? token.tokens.map(each => inlineText(each, commandFor)).join('')
      : 'text' in token
        ? String(token.text)
        : '';
  switch (token.type) {
    case 'br':
      return '\n';
    case 'html':
      return '';
    case 'image':
      return `[picture: ${token.text}]`;
    case 'link': {
      const command = commandFor(token.href);
      if (command !== undefined) return `${text()} (${command})`;
      return /^https?:/.test(token.href) && token.href !== text() ? `${text()} (${token.href})` : text();
    }
    default:
      return text();
  }
}
