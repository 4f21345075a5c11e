import type { Chart } from '../chart/chart.ts';
import { browser, type PageElement } from './browser.ts';
import { SVG_WIDTH, svgChart } from './svg.ts';

/** Pixels of a PNG image for each pixel of the drawing. */
const SCALE = 2;

/** Adds buttons that save the chart as it is shown, without the hidden series. */
export function addDownloads(tools: PageElement, chart: Chart, hidden: ReadonlySet<string>): void {
  const button = (text: string, save: () => void) => {
    const element = browser.document.createElement('button');
    element.type = 'button';
    element.textContent = text;
    element.addEventListener('click', save);
    return element;
  };
  const svg = () => new Blob([svgChart(chart, { hidden })], { type: 'image/svg+xml' });
  const name = chart.title.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80) || 'chart';
  tools.append(
    button('Download SVG', () => saveAs(svg(), `${name}.svg`)),
    button('Download PNG', async () => saveAs(await pngOf(svg()), `${name}.png`)),
  );
}

async function pngOf(svg: Blob): Promise<Blob> {
  const url = browser.URL.createObjectURL(svg);
  const image = browser.document.createElement('img');
  image.src = url;
  await image.decode();
  const canvas = browser.document.createElement('canvas');
  canvas.width = SVG_WIDTH * SCALE;
  canvas.height = Math.round((image.height / image.width) * canvas.width);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  browser.URL.revokeObjectURL(url);
  return await new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob === null ? reject(new Error('the image is too large')) : resolve(blob))),
  );
}

function saveAs(blob: Blob, name: string): void {
  const url = browser.URL.createObjectURL(blob);
  const link = browser.document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => browser.URL.revokeObjectURL(url), 10_000);
}
