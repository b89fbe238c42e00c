import type { Canvas } from "./png.ts";

/** Sky, sun, hills and text. */
const SKY_COLORS = 32;
const SUN = SKY_COLORS;
const HILLS = SKY_COLORS + 1;
const TEXT = SKY_COLORS + 2;

/** Rows of 3 bits for each character of a time. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  "0": [7, 5, 5, 5, 7],
  "1": [2, 6, 2, 2, 7],
  "2": [7, 1, 7, 4, 7],
  "3": [7, 1, 7, 1, 7],
  "4": [5, 5, 7, 1, 1],
  "5": [7, 4, 7, 1, 7],
  "6": [7, 4, 7, 5, 7],
  "7": [7, 1, 1, 1, 1],
  "8": [7, 5, 7, 5, 7],
  "9": [7, 5, 7, 1, 7],
  ":": [0, 2, 0, 2, 0],
};

/** Colors of one VOD, by the hue of its id. */
export function paletteOf(vodId: string): Uint8Array {
  const hue = (Number(vodId.slice(-4)) * 47) % 360;
  const sky = Array.from({ length: SKY_COLORS }, (_, step) =>
    rgbOf(hue + step * 2, 0.55, 0.2 + (0.4 * step) / SKY_COLORS),
  );
  return Uint8Array.from(
    [...sky, rgbOf(hue + 180, 0.8, 0.75), rgbOf(hue, 0.4, 0.12), [255, 255, 255]].flat(),
  );
}

/** Draws the moment `atSec` at a place on the canvas: the sun moves, and the time is written. */
export function drawFrame(
  canvas: Canvas,
  place: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  },
  moment: { readonly atSec: number; readonly durationSec: number },
): void {
  const { width, height } = place;
  const sunX = width * (0.1 + (0.8 * moment.atSec) / Math.max(1, moment.durationSec));
  const sunY = height * 0.35;
  for (let y = 0; y < height; y += 1) {
    const sky = Math.floor((y / height) * SKY_COLORS);
    for (let x = 0; x < width; x += 1) {
      const ridge = height * (0.72 + 0.1 * Math.sin((6 * x) / width + moment.atSec / 60));
      const isSun = (x - sunX) ** 2 + (y - sunY) ** 2 < (height * 0.12) ** 2;
      set(canvas, place.x + x, place.y + y, y > ridge ? HILLS : isSun ? SUN : sky);
    }
  }
  const scale = Math.max(1, Math.floor(height / 40));
  writeTime(canvas, place.x + 2 * scale, place.y + height - 7 * scale, scale, moment.atSec);
}

function writeTime(canvas: Canvas, left: number, top: number, scale: number, atSec: number): void {
  const seconds = Math.floor(atSec);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const text = [Math.floor(seconds / 3_600), ...parts.map((part) => String(part).padStart(2, "0"))];
  Array.from(text.join(":")).forEach((character, position) => {
    for (let y = 0; y < 5 * scale; y += 1) {
      const row = GLYPHS[character]?.[Math.floor(y / scale)] ?? 0;
      for (let x = 0; x < 3 * scale; x += 1)
        if ((row >> (2 - Math.floor(x / scale))) & 1)
          set(canvas, left + position * 4 * scale + x, top + y, TEXT);
    }
  });
}

function set({ width, pixels }: Canvas, x: number, y: number, color: number): void {
  pixels[y * width + x] = color;
}

/** CSS Color 4, section 7.1: HSL to RGB. */
function rgbOf(hue: number, saturation: number, lightness: number): number[] {
  const spread = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const position = (offset + hue / 30) % 12;
    const share = lightness - spread * Math.max(-1, Math.min(position - 3, 9 - position, 1));
    return Math.round(share * 255);
  });
}
