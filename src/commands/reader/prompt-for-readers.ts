import { GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import { PROMPT_WORDS } from '../../operations/access/words/prompt-words.ts';
import { LineEditor } from '../../terminal/line-editor.ts';
import type { Context } from '../framework/context.ts';
import type { SupportDesk } from './support-desk.ts';
import { Workspace } from './workspace.ts';

/** Clears the screen and the scrollback, so that no address remains. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

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
  const workspace = await Workspace.open(desk, context);
  const editor = new LineEditor(io, context.signal);
  let isMasked = isMaskedFirst;
  context.out.withoutPager();

  const words = () => PROMPT_WORDS[workspace.words.tag];
  const show = async (shown: ReturnType<Workspace['shown']>): Promise<void> => {
    if (shown === undefined) return;
    if (shown.taken !== undefined) log.note(shown.taken, workspace.words.note);
    const data = shown.sections.map(({ title, data }) => ({ title, data }));
    await context.out.printSections(data as unknown as Json, shown.sections, data as unknown as Json);
  };
  const warn = (text: string, details?: readonly string[]) => {
    log.warn(text, details, workspace.words.warning);
  };
  const copy = async (text: string | undefined, what: 'reply' | 'answer'): Promise<void> => {
    const prompt = words();
    await show(workspace.shown(isMasked));
    if (text === undefined) return warn(prompt.nothingToCopy[what]);
    if (/^(?:dumb|linux)$/.test(io.env.TERM ?? '')) return warn(prompt.cannotCopy);
    io.stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    log.info(prompt.copied[what]);
  };
  const act = async (typed: string): Promise<void> => {
    const shown = workspace.shown(isMasked);
    const [, language] = /^l +(\S+)$/.exec(typed) ?? [];
    if (typed === '?') return void io.stderr.write(`${words().help}\n`);
    if (typed === 'c') return await copy(shown?.reply, 'reply');
    if (typed === 'a') return await copy(shown && (await markdownOf(shown.sections, context)), 'answer');
    if (typed === 'm') {
      isMasked = !isMasked;
      await show(workspace.shown(isMasked));
      return log.info(isMasked ? words().masked : words().unmasked);
    }
    if (language !== undefined) {
      await workspace.speak(language);
      return await show(workspace.shown(isMasked));
    }
    await show(await workspace.ask(typed, isMasked));
  };

  try {
    for (;;) {
      const typed = await editor.read(words().question, isMasked);
      io.stderr.write(CLEAR);
      if (typed === undefined || typed.trim() === 'q') return undefined;
      try {
        await editor.during(act(typed.trim()));
      } catch (error) {
        if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
        warn(error.message, await context.hintsFor(error));
      }
      io.stderr.write('\n');
    }
  } finally {
    editor.close();
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
