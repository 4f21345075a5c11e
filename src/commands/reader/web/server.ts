import { GatectlError, UsageError } from '../../../errors/index.ts';
import { isRecord, tryParseJson } from '../../../json/index.ts';
import { wordsIn } from '../../../operations/access/words/in-language.ts';
import { PROMPT_WORDS } from '../../../operations/access/words/prompt-words.ts';
import type { Words } from '../../../operations/access/words/words.ts';
import { cellWriter } from '../../../output/cell.ts';
import { gridOf, valueIn, withoutAbsent, withUnlisted } from '../../../output/shape.ts';
import type { Style } from '../../../output/view.ts';
import { printable } from '../../../text/printable.ts';
import type { Context } from '../../framework/context.ts';
import { isToken, serveLoopback, untilAborted } from '../../framework/loopback-server.ts';
import type { AnswerSection } from '../answer-sections.ts';
import type { SupportDesk } from '../support-desk.ts';
import { type Shown, Workspace } from '../workspace.ts';
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
  const pages = new OpenPages(() => Workspace.open(desk, context));
  const style: Style = { ...(await context.out.style()), width: undefined, unicode: true };
  const { domain } = desk.site;
  const words = await wordsIn(desk.language);
  const page = workspacePage(domain, desk.language, isMasked);
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
    try {
      const id = request.headers.get('x-page') ?? '';
      return json(200, await pages.next(id, workspace => answerTo(pathname, request, workspace, style)));
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
    `${PROMPT_WORDS[words.tag].served(domain, `${server.origin}/#${server.token}`)}\n`,
  );
  await untilAborted(context.signal);
  await server.close();
  return undefined;
}

/** More pages are hardly open at once; the one that was used longest ago forgets what it showed. */
const MAX_PAGES = 64;

/** What each page that was loaded shows, by an id that the page makes up: two tabs do not change each other. In memory only. */
class OpenPages {
  readonly #open: () => Promise<Workspace>;
  readonly #pages = new Map<string, Promise<Workspace>>();

  constructor(open: () => Promise<Workspace>) {
    this.#open = open;
  }

  /** Does the next thing in a page, after what it is doing: each question changes what is shown. */
  async next<Result>(id: string, act: (workspace: Workspace) => Promise<Result>): Promise<Result> {
    const before = this.#pages.get(id) ?? this.#open();
    const result = before.then(act);
    const after = result.then(
      () => before,
      () => before,
    );
    this.#pages.delete(id);
    this.#pages.set(id, after);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    return await result;
  }
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
  const language = request.headers.get('x-language');
  if (language !== null) await workspace.speak(language);
  if (path === '/list') {
    const content = await bodyOf(request, MAX_LIST_BYTES);
    const source = { fromFile: workspace.words.list.content, content };
    return pageData(await workspace.list(source, [], isMasked), workspace.words, style);
  }
  const body = tryParseJson((await bodyOf(request, MAX_TEXT_BYTES)).toString()) ?? null;
  const { text = '' } = isRecord(body) ? body : {};
  if (path === '/show') {
    const shown = workspace.shown(isMasked);
    return shown === undefined ? { sections: [] } : pageData(shown, workspace.words, style);
  }
  return pageData(
    await workspace.ask(typeof text === 'string' ? text : '', isMasked),
    workspace.words,
    style,
  );
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
function pageData({ sections, reply, taken }: Shown, words: Words, style: Style) {
  return {
    sections: sections.map(section => sectionData(section, words, style)),
    ...(reply !== undefined && { reply }),
    ...(taken !== undefined && { taken: printable(taken) }),
  };
}

function sectionData(section: AnswerSection, words: Words, style: Style) {
  const { data, view, language } = section;
  const title = printable(section.title);
  const titled = { title, ...(language !== undefined && { language }) };
  const grid = withoutAbsent(gridOf(data, view));
  const write = cellWriter(style, grid.rows);
  const columns =
    grid.kind === 'record' && grid.rows[0] !== undefined
      ? withUnlisted(grid.columns, grid.rows[0])
      : grid.columns;
  const shown = grid.rows.slice(0, MAX_ROWS);
  const rows = shown.map(row => columns.map(column => write(valueIn(row, column), column)));
  const more = grid.rows.length > shown.length ? [words.list.firstLines(shown.length, grid.rows.length)] : [];
  const lines = [...(view.introduction ?? []).map(printable), ...more];
  if (rows.length === 0) return { ...titled, lines: [...lines, view.empty ?? ''] };
  if (view.prose) return { ...titled, lines: [...lines, ...rows.flat()] };
  return {
    ...titled,
    lines,
    headings: columns.map(({ title, key }) => printable(title ?? key)),
    rows,
  };
}
