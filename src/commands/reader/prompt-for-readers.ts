import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import { LineEditor } from '../../terminal/line-editor.ts';
import type { Context } from '../framework/context.ts';
import type { SupportDesk } from './support-desk.ts';
import { Workspace } from './workspace.ts';

/** Clears the screen and the scrollback, so that no address remains. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

const HELP = `Type or paste an address, an e-mail, a link, an order number or several addresses.
+HANDLE     also check this product, such as anna@example.com +premium
@FILE       look up a list: CSV or a workbook
Enter       look up the same reader again
Up, Down    recall what you typed; it is kept in memory only
c           copy the reply        a  copy everything
m           mask addresses, or show them again
l CODE      language of the reply, such as l fr
q, Ctrl-D   leave`;

/**
 * A place to work: prompts for a reader, shows the answer on an empty screen, and prompts again, until Ctrl-D. An error is printed and the
 * next line is empty; Ctrl-C throws InterruptedError.
 */
export async function promptForReaders(
  desk: SupportDesk,
  isMaskedFirst: boolean,
  context: Context,
): Promise<undefined> {
  const { io, log } = context;
  const workspace = new Workspace(desk, context);
  const editor = new LineEditor(io, context.signal);
  let isMasked = isMaskedFirst;
  context.out.withoutPager();

  const show = async (shown: ReturnType<Workspace['shown']>): Promise<void> => {
    if (shown === undefined) return;
    if (shown.taken !== undefined) log.note(`using ${shown.taken}`);
    const data = shown.sections.map(({ title, data }) => ({ title, data }));
    await context.out.printSections(data as unknown as Json, shown.sections, data as unknown as Json);
  };
  const copy = async (text: string | undefined, what: string): Promise<void> => {
    await show(workspace.shown(isMasked));
    if (text === undefined) return log.warn(`there is no ${what} to copy`);
    if (/^(?:dumb|linux)$/.test(io.env.TERM ?? '')) return log.warn('this terminal cannot copy');
    io.stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    log.info(`The ${what} is in the clipboard, if the terminal allows it.`);
  };
  const act = async (typed: string): Promise<void> => {
    const shown = workspace.shown(isMasked);
    const [, language] = /^l +(\S+)$/.exec(typed) ?? [];
    if (typed === '?') return void io.stderr.write(`${HELP}\n`);
    if (typed === 'c') return await copy(shown?.reply, 'reply');
    if (typed === 'a') return await copy(shown && (await markdownOf(shown.sections, context)), 'answer');
    if (typed === 'm') {
      isMasked = !isMasked;
      await show(workspace.shown(isMasked));
      return log.info(isMasked ? 'Addresses are masked.' : 'Addresses are shown.');
    }
    if (language !== undefined) workspace.speak(language);
    await show(await workspace.ask(language === undefined ? typed : '', isMasked));
  };

  try {
    for (;;) {
      const typed = await editor.read('Reader (? for help): ', isMasked);
      io.stderr.write(CLEAR);
      if (typed === undefined || typed.trim() === 'q') return undefined;
      try {
        await act(typed.trim());
      } catch (error) {
        if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
        log.warn(error.message, await context.hintsFor(error));
      }
      io.stderr.write('\n');
    }
  } finally {
    io.stderr.write(CLEAR);
  }
}

async function markdownOf(
  sections: NonNullable<ReturnType<Workspace['shown']>>['sections'],
  { out }: Context,
): Promise<string> {
  const { renderSections } = await import('../../output/render.ts');
  return renderSections(sections, 'md', { ...(await out.style()), width: undefined, unicode: true });
}
