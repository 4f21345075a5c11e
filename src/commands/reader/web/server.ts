import { GatectlError, UsageError } from '../../../errors/index.ts';
import { isRecord, tryParseJson } from '../../../json/index.ts';
import { cellWriter } from '../../../output/cell.ts';
import { gridOf, valueIn, withoutAbsent, withUnlisted } from '../../../output/shape.ts';
import type { Style } from '../../../output/view.ts';
import { printable } from '../../../text/printable.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import { isToken, serveLoopback, untilAborted } from '../../framework/loopback-server.ts';
import type { SupportDesk } from '../support-desk.ts';
import { Workspace } from '../workspace.ts';
import { workspacePage } from './page.ts';

const MAX_TEXT_BYTES = 1 << 20;
const MAX_LIST_BYTES = 16 << 20;
/** More are not readable in a page. */
const MAX_ROWS = 1000;

/** Serves the workspace as a page on loopback until Ctrl-C. Nothing is stored, and the token is in the part of the address that no request has. */
export async function serveWorkspace(
  desk: SupportDesk,
  isMasked: boolean,
  context: Context,
): Promise<undefined> {
  const workspace = new Workspace(desk, context);
  const style: Style = { ...(await context.out.style()), width: undefined, unicode: true };
  const page = workspacePage(workspace.domain, workspace.language, isMasked);
  // One question after the other: each changes what is shown.
  let last: Promise<unknown> = Promise.resolve();
  const server = await serveLoopback(0, async (request, token) => {
    const { pathname } = new URL(request.url);
    const origin = request.headers.get('origin');
    const isOwn = (text: string) => namesOf(server.origin).includes(text);
    if (!isOwn(`http://${request.headers.get('host')}`) || (origin !== null && !isOwn(origin)))
      return reply(403, 'text/plain', 'open the address that gatectl printed\n');
    if (request.method === 'GET' && pathname === '/')
      return reply(200, 'text/html', page.html, { 'content-security-policy': page.policy });
    if (request.method !== 'POST' || !['/ask', '/list', '/show'].includes(pathname))
      return reply(404, 'text/plain', 'there is no such page\n');
    if (!isToken(request.headers.get('authorization'), token))
      return json(401, { error: 'open the address that gatectl printed' });
    const answer = last.then(() => answerTo(pathname, request, workspace, style));
    last = answer.catch(() => undefined);
    try {
      return json(200, await answer);
    } catch (error) {
      if (!(error instanceof GatectlError) || context.signal.aborted) throw error;
      const hints = await context.hintsFor(error);
      return json(error instanceof UsageError ? 400 : 502, {
        error: context.redactor.redact(error.message),
        hints: hints.map(hint => context.redactor.redact(hint)),
      });
    }
  });
  await context.out.printText(
    `Readers of ${workspace.domain} at ${server.origin}/#${server.token}\nOpen it in a browser of this machine; Ctrl-C stops it.\n`,
  );
  await untilAborted(context.signal);
  await server.close();
  return undefined;
}

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function reply(
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: { ...HEADERS, ...headers, 'content-type': `${type}; charset=utf-8` },
  });
}

function json(status: number, value: object): Response {
  return reply(status, 'application/json', JSON.stringify(value));
}

/** The origin of the server, by each of the names of this machine. */
function namesOf(origin: string): readonly string[] {
  return [origin, origin.replace('127.0.0.1', 'localhost')];
}

async function answerTo(path: string, request: Request, workspace: Workspace, style: Style) {
  const isMasked = request.headers.get('x-mask') === 'yes';
  if (path === '/list') {
    const content = await bodyOf(request, MAX_LIST_BYTES);
    return pageData(await workspace.list({ fromFile: 'the list', content }, [], isMasked), style);
  }
  const body = tryParseJson((await bodyOf(request, MAX_TEXT_BYTES)).toString()) ?? null;
  const { text = '', language } = isRecord(body) ? body : {};
  if (path === '/show') {
    const shown = workspace.shown(isMasked);
    return shown === undefined ? { sections: [] } : pageData(shown, style);
  }
  if (typeof language === 'string') workspace.speak(language);
  return pageData(await workspace.ask(typeof text === 'string' ? text : '', isMasked), style);
}

async function bodyOf({ body }: Request, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw new UsageError(`more than ${most >> 20} MiB`, { code: 'invalid_input' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What the page shows: texts, which it never reads as HTML. */
function pageData({ sections, reply, taken }: Awaited<ReturnType<Workspace['ask']>>, style: Style) {
  return {
    sections: sections.map(section => sectionData(section, style)),
    ...(reply !== undefined && { reply }),
    ...(taken !== undefined && { taken: printable(`using ${taken}`) }),
  };
}

function sectionData({ title, data, view }: OutputSection, style: Style) {
  const grid = withoutAbsent(gridOf(data, view));
  const write = cellWriter(style, grid.rows);
  const columns =
    grid.kind === 'record' && grid.rows[0] !== undefined
      ? withUnlisted(grid.columns, grid.rows[0])
      : grid.columns;
  const shown = grid.rows.slice(0, MAX_ROWS);
  const rows = shown.map(row => columns.map(column => write(valueIn(row, column), column)));
  const more =
    grid.rows.length > shown.length ? [`The first ${shown.length} of ${grid.rows.length} lines.`] : [];
  const lines = [...(view.introduction ?? []).map(printable), ...more];
  if (rows.length === 0) return { title: printable(title), lines: [...lines, view.empty ?? ''] };
  if (view.prose) return { title: printable(title), lines: [...lines, ...rows.flat()] };
  return {
    title: printable(title),
    lines,
    headings: columns.map(({ title, key }) => printable(title ?? key)),
    rows,
  };
}
