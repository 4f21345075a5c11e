import { writeWhole } from '../../../files/whole-file.ts';
import { type JsonRecord, stringifyJson } from '../../../json/index.ts';
import type { Picture } from '../../../output/chart/picture.ts';
import { printable, printablePicture } from '../../../output/chart/printable-picture.ts';
import { htmlParts } from '../../../output/html.ts';
import type { Column, Style } from '../../../output/view.ts';
import { grouped } from '../../../terminal/grouped.ts';
import { pictureKind } from './look-flags.ts';

/** More rows than this are not read beside a picture. */
const TABLE_ROWS_MAX = 1_000;

export interface PictureFile {
  readonly path: string;
  readonly picture: Picture;
  /** The question, which stands under the picture. */
  readonly request: JsonRecord;
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly style: Style;
}

/** Writes a picture in the format that its file's name tells. The charting library is loaded for it. Throws FileError. */
export async function writePicture(file: PictureFile): Promise<void> {
  const picture = printablePicture(file.picture);
  await writeWhole(file.path, await contentOf(file, picture));
}

async function contentOf(file: PictureFile, picture: Picture): Promise<string> {
  if (pictureKind(file.path) === 'svg') {
    const { svgPicture } = await import('../../../output/picture/svg.ts');
    // With blanks, where a line may end.
    return svgPicture(picture, printable(stringifyJson(file.request, 1).replaceAll(/\n */g, ' ')));
  }
  const [{ htmlPicture }, { default: script }] = await Promise.all([
    import('../../../output/picture/html-page.ts'),
    import('virtual:picture-page'),
  ]);
  return htmlPicture({ picture, caption: stringifyJson(file.request, 2), script, table: tableOf(file) });
}

function tableOf({ rows, columns, style }: PictureFile): string {
  const shown = rows.slice(0, TABLE_ROWS_MAX);
  const view = { ...(columns.length > 0 && { columns }), empty: 'no rows match' };
  const more =
    shown.length < rows.length
      ? `<p>the first ${grouped(shown.length)} of ${grouped(rows.length)} rows</p>\n`
      : '';
  return htmlParts(shown, view, style) + more;
}
