import type { Chart } from '../chart/chart.ts';
import { svgChart } from './svg.ts';

const FONT = 'Inter';
/** Pixels of the image for each pixel of the drawing: sharp on a projector and on dense screens. */
const SCALE = 2;
/** Letters, digits and signs that the built-in fonts have: Latin, Greek, Cyrillic, punctuation, currencies. */
const COVERED = /^[\u0020-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u203a\u20a0-\u20bf]*$/;

let renderer: Promise<void> | undefined;

/** A chart as a PNG image, 1,920 pixels wide. Its texts have to be printable. */
export async function pngChart(chart: Chart): Promise<Uint8Array> {
  const [{ initWasm, Resvg }, { fonts, readRenderer }] = await Promise.all([
    import('@resvg/resvg-wasm'),
    import('virtual:png-assets'),
  ]);
  renderer ??= initWasm(readRenderer());
  await renderer;
  const image = new Resvg(svgChart(chart, { fontFamily: FONT }), {
    fitTo: { mode: 'zoom', value: SCALE },
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
  return [title, subtitle, ...notes, ...texts].find(text => !COVERED.test(text));
}
