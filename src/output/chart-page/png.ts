import type { Chart } from '../chart/chart.ts';
import { mapTexts } from '../chart/printable-chart.ts';
import { svgChart } from './svg.ts';

const FONT = 'Inter';
/** Sharp on a projector and on dense screens. */
const IMAGE_WIDTH = 1920;
/** A drawing for mails: its texts are as large as those of the mail, and can be read on a telephone, which has half of the width. */
export const MAIL_DRAWING = { width: 480, imageWidth: 1200 };
/** What the built-in fonts lack: all but Latin, Greek, Cyrillic, punctuation, currencies and the minus sign. */
const LACKING = '[^\\u0020-\\u052f\\u1e00-\\u1fff\\u2010-\\u2027\\u2030-\\u203a\\u20a0-\\u20bf\\u2212]';
const UNCOVERED = new RegExp(`${LACKING}+(?: +${LACKING}+)*`, 'gu');
/** The first of them that a text contains tells what it is. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'Japanese'],
  [/\p{Script=Hangul}/u, 'Korean'],
  [/\p{Script=Han}/u, 'Chinese or Japanese'],
  [/\p{Script=Arabic}/u, 'Arabic'],
  [/\p{Script=Hebrew}/u, 'Hebrew'],
  [/\p{Script=Thai}/u, 'Thai'],
  [/\p{Script=Devanagari}/u, 'Devanagari'],
  [/\p{Extended_Pictographic}/u, 'emoji'],
];

let renderer: Promise<void> | undefined;

/** A chart as a PNG image, 1,920 pixels wide unless another width is given with that of the drawing. Its texts have to be printable. */
export async function pngChart(
  chart: Chart,
  { width, imageWidth }: { readonly width?: number; readonly imageWidth: number } = {
    imageWidth: IMAGE_WIDTH,
  },
): Promise<Uint8Array> {
  const [{ initWasm, Resvg }, { fonts, readRenderer }] = await Promise.all([
    import('@resvg/resvg-wasm'),
    import('virtual:png-assets'),
  ]);
  renderer ??= initWasm(readRenderer());
  await renderer;
  const image = new Resvg(svgChart(withScriptNames(chart), { fontFamily: FONT, ...(width && { width }) }), {
    fitTo: { mode: 'width', value: imageWidth },
    font: {
      fontBuffers: fonts.map(font => Buffer.from(font, 'base64')),
      defaultFontFamily: FONT,
      sansSerifFamily: FONT,
    },
  });
  try {
    return image.render().asPng();
  } finally {
    image.free();
  }
}

/** A text of the chart that the built-in fonts cannot show in full, if there is one. */
export function uncoveredText({ title, subtitle = '', panels, notes }: Chart): string | undefined {
  const texts = panels.flatMap(panel => [
    panel.title,
    panel.axis,
    ...panel.positions.map(({ label }) => label),
    ...panel.series.map(({ name = '' }) => name),
  ]);
  return [title, subtitle, ...notes, ...texts].find(text => text.search(UNCOVERED) >= 0);
}

/** The chart with a word for what the built-in fonts cannot show, in place of boxes: `Launch day [emoji]`. */
export function withScriptNames(chart: Chart): Chart {
  return mapTexts(chart, text =>
    text.replace(
      UNCOVERED,
      found => `[${SCRIPTS.find(([script]) => script.test(found))?.[1] ?? 'other script'}]`,
    ),
  );
}
