import type { Context } from '../../framework/context.ts';

/** Shows the progress of a conversion. */
export async function withProgress<Made>(
  { log }: Context,
  convert: (onRows: (written: number, all: number) => void) => Promise<Made>,
): Promise<Made> {
  const line = log.progress(undefined, 'rows converted');
  let shown = 0;
  const made = await convert((written, all) => {
    line.expect(all);
    line.advance(written - shown);
    shown = written;
  });
  line.finish();
  return made;
}
