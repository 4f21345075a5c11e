import { describe, expect, test } from 'vitest';
import { DARK, LIGHT, LINE_STYLES } from '../../../src/output/chart-page/theme.ts';

type Vector = readonly [number, number, number];

/** Machado, Oliveira and Fernandes (2009): what people with full colour blindness see, in linear RGB. */
const SIGHT: Readonly<Record<string, readonly [Vector, Vector, Vector]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const dot = (one: Vector, other: Vector) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];

function linear(hex: string): Vector {
  const channel = (at: number) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function lab(rgb: Vector): Vector {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f(dot([0.4124, 0.3576, 0.1805], rgb) / 0.95047);
  const y = f(dot([0.2126, 0.7152, 0.0722], rgb));
  const z = f(dot([0.0193, 0.1192, 0.9505], rgb) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen(hex: string, [r, g, b]: readonly [Vector, Vector, Vector]): Vector {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const rgb = linear(hex);
  return lab([clamp(dot(r, rgb)), clamp(dot(g, rgb)), clamp(dot(b, rgb))]);
}

const luminance = (hex: string) => dot([0.2126, 0.7152, 0.0722], linear(hex));

describe.each([
  ['light', LIGHT],
  ['dark', DARK],
])('the colours of the %s theme', (_, { series, background = '' }) => {
  test.each(Object.entries(SIGHT))('differ in pairs with %s', (_, sight) => {
    expect(new Set(series).size).toBe(8);
    const labs = series.map(hex => seen(hex, sight));
    const distances = labs.flatMap((one, i) =>
      labs.slice(i + 1).map(other => Math.hypot(...one.map((value, k) => value - (other[k] ?? 0)))),
    );
    // 2.3 is the least difference that people notice side by side.
    expect(Math.min(...distances)).toBeGreaterThan(20);
  });

  test('contrast with the background', () => {
    for (const hex of series) {
      const [dark = 0, bright = 0] = [luminance(hex), luminance(background)].sort((a, b) => a - b);
      expect((bright + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(3);
    }
  });
});

test('eight lines differ without any colour', () => {
  expect(new Set(LINE_STYLES.map(({ symbol }) => symbol)).size).toBe(8);
  expect(new Set(LINE_STYLES.map(({ dash }) => String(dash))).size).toBe(8);
});
