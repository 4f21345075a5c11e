import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { UNPAINTED } from '../../terminal/colour.ts';
import { encodedWords, headerText, quotedPrintable } from '../../text/mail.ts';
import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { summaryOf } from '../chart/summary.ts';
import type { Style } from '../view.ts';
import type { DataSection, ReportDocument } from './document.ts';
import { subjectOf, type Tile, tilesOf } from './kpis.ts';
import { plainText } from './plain-text.ts';
import { proseHtml } from './prose.ts';
import { headingHtml, introductionHtml, sectionHtml } from './section-html.ts';
import { MAIL_WIDTH } from './tables.ts';

export interface MailAddress {
  readonly name: string | undefined;
  /** Checked. */
  readonly address: string;
}

interface MailOptions {
  readonly headers: {
    readonly from: MailAddress | undefined;
    readonly to: readonly MailAddress[];
    readonly cc: readonly MailAddress[];
    /** The default is the title with the first figure. */
    readonly subject: string | undefined;
  };
  /** PNG images of the charts. */
  readonly pictures: ReadonlyMap<DataSection, Uint8Array>;
  readonly style: Style;
  /** Milliseconds since the epoch. */
  readonly date: number;
}

/** Of the one column; pictures have more pixels. */
const WIDTH = 600;

/**
 * A report as an e-mail, as `sendmail -t` reads it: sentences as plain text, HTML with the pictures of the charts inside. Every line has
 * at most 76 characters, and all of them are ASCII. The same report at the same time gives the same bytes.
 */
export function mailDocument(document: ReportDocument, options: MailOptions): string {
  const { headers, pictures, date } = options;
  // A mail shows as much as any other, whatever the terminal of its sender shows.
  const style = { ...options.style, width: undefined, paint: UNPAINTED, unicode: true };
  const text = plainText(document, style);
  const subject = headers.subject ?? subjectOf(document.title, document.kpis, style);
  const identity = createHash('sha256')
    .update(`${text}${JSON.stringify(headers)}${date}`)
    .digest('hex')
    .slice(0, 24);
  const domain = headers.from?.address.split('@').at(-1) ?? 'gatectl.invalid';
  const charts = document.sections.flatMap(section => {
    const image = section.kind === 'data' ? pictures.get(section) : undefined;
    return image === undefined || section.kind === 'text' ? [] : [{ section, image }];
  });
  const nameOf = (at: number) => `chart-${at + 1}`;
  const idOf = (at: number) => `${nameOf(at)}.${identity}@${domainToASCII(domain)}`;
  const pictureOf = (section: DataSection): string => {
    const at = charts.findIndex(chart => chart.section === section);
    if (at < 0) return '';
    // Many programs block images, so the words are beside it and not only in its place.
    const words = [...(section.chart?.panels ?? []).flatMap(summaryOf), ...(section.chart?.notes ?? [])];
    const image = `<img src="cid:${idOf(at)}" width="${WIDTH}" style="max-width:100%;height:auto;background:#ffffff" alt="${escapeHtml(`Chart: ${section.title}`)}">`;
    return `<p>${image}</p>\n<p style="font-size:13px;line-height:20px">${words.map(escapeHtml).join('<br>\n')}</p>\n`;
  };
  const html = part(['Content-Type: text/html; charset=utf-8'], pageOf(document, pictureOf, style));
  const images = charts.map(({ image }, at) =>
    lines(
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      `Content-ID: <${idOf(at)}>`,
      `Content-Disposition: inline; filename="${nameOf(at)}.png"`,
      '',
      base64Lines(image),
    ),
  );
  const content =
    images.length === 0
      ? html
      : multipart('related; type="text/html"', `related.${identity}`, [html, ...images]);
  return lines(
    ...(headers.from === undefined ? [] : [addressHeader('From', [headers.from])]),
    addressHeader('To', headers.to),
    ...(headers.cc.length === 0 ? [] : [addressHeader('Cc', headers.cc)]),
    `Subject: ${headerText(oneLine(subject), 'Subject: '.length)}`,
    `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${identity}@${domainToASCII(domain)}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    multipart('alternative', `alternative.${identity}`, [
      part(['Content-Type: text/plain; charset=utf-8'], text),
      content,
    ]),
  );
}

/** Many mail programs ignore style sheets, so styles are those of elements. */
function pageOf(document: ReportDocument, pictureOf: (section: DataSection) => string, style: Style): string {
  const { title, kpis, sections } = document;
  const tiles = kpis === undefined ? '' : tilesHtml(tilesOf(kpis, style));
  const body = sections.map(section => {
    const heading = section.title === undefined ? '' : headingHtml(2, section.title);
    if (section.kind === 'text')
      return heading + proseHtml(section.markdown, section.title === undefined ? 2 : 3);
    const { introduction, tables, footnote } = sectionHtml(section, { kpis, width: MAIL_WIDTH }, style);
    const rows = tables.map(
      table =>
        `<div style="font-size:13px;line-height:20px;overflow-x:auto;overflow-wrap:normal;margin:8px 0">${table}</div>\n`,
    );
    return heading + introduction + pictureOf(section) + rows.join('') + footnote;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>h1{font-size:28px;line-height:36px}h2{font-size:18px;line-height:24px}</style>
</head>
<body style="margin:0">
<table role="presentation" width="100%" style="table-layout:fixed;border-collapse:collapse"><tr><td align="center" style="padding:16px">
<table role="presentation" width="${WIDTH}" style="width:100%;max-width:${WIDTH}px;table-layout:fixed;border-collapse:collapse"><tr><td style="font:16px/24px system-ui,sans-serif;text-align:left;overflow-wrap:anywhere">
${headingHtml(1, title)}${introductionHtml(document, style)}${tiles}${body.join('')}</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The figures that a report begins with, two beside each other, as a telephone has room for. */
function tilesHtml(tiles: readonly Tile[]): string {
  const line = (text: string | undefined, look: string) =>
    text === undefined ? '' : `<div style="${look}">${escapeHtml(printable(text))}</div>`;
  const small = 'font-size:13px;line-height:20px';
  const cells = tiles.map(
    ({ label, value, before, change, reservations }) =>
      `<td valign="top" width="50%" style="border:1px solid #8888;padding:12px;overflow-wrap:anywhere">${[
        line(label, small),
        line(value, `${figureSize(value)};line-height:36px;font-weight:600`),
        line(change, 'line-height:24px'),
        line(before && `before: ${before}`, small),
        ...reservations.map(text => line(text, small)),
      ].join('')}</td>`,
  );
  const rows = cells.flatMap((cell, at) =>
    at % 2 === 0 ? [`<tr>\n${cell}\n${cells[at + 1] ?? '<td></td>'}\n</tr>\n`] : [],
  );
  return `<table role="presentation" width="100%" style="table-layout:fixed;border-collapse:collapse;font-variant-numeric:tabular-nums">${rows.join('')}</table>\n`;
}

/** A figure that a half of a telephone has room for is never broken. */
function figureSize(value: string): string {
  if (value.length <= 8) return 'font-size:24px;white-space:nowrap';
  return value.length <= 13 ? 'font-size:18px;white-space:nowrap' : 'font-size:18px';
}

/** A line break would begin another header. */
function oneLine(text: string): string {
  return text.replace(/[\0-\x1f\x7f\s]+/g, ' ').trim();
}

function multipart(type: string, boundary: string, parts: readonly string[]): string {
  // RFC 2046 has a boundary of at most 70 characters; "=_" cannot occur in encoded text.
  const mark = `=_${boundary}`;
  return lines(
    `Content-Type: multipart/${type};`,
    ` boundary="${mark}"`,
    '',
    ...parts.map(text => `--${mark}\n${text}`),
    `--${mark}--`,
  );
}

/** The shorter of both encodings: letters beyond ASCII take nine characters each in the readable one. */
function part(headers: readonly string[], text: string): string {
  const [readable, compact] = [quotedPrintable(text), base64Lines(Buffer.from(text))];
  const [encoding, content] =
    readable.length > compact.length ? ['base64', compact] : ['quoted-printable', readable];
  // The line break before a boundary belongs to the boundary.
  return `${lines(...headers, `Content-Transfer-Encoding: ${encoding}`, '')}${content}\n`;
}

function lines(...texts: readonly string[]): string {
  return texts.map(text => (text.endsWith('\n') ? text : `${text}\n`)).join('');
}

function base64Lines(bytes: Uint8Array): string {
  return (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n');
}

const ADDRESS_CHARACTERS = /^[A-Za-z0-9 !#$%&'*+/=?^_`{|}~.,:;()@<>[\]-]*$/;

function addressHeader(name: string, addresses: readonly MailAddress[]): string {
  const texts = addresses.map(({ name, address }) => {
    const at = address.lastIndexOf('@');
    const ascii = `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
    if (name === undefined || name === '') return ascii;
    const shown =
      ADDRESS_CHARACTERS.test(name) && name.length < 50 && !name.includes('=?')
        ? `"${name}"`
        : encodedWords(name, 1);
    return `${shown}\n <${ascii}>`;
  });
  return `${name}: ${texts.join(',\n ')}`;
}
