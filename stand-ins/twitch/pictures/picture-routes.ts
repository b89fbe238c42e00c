import { durationSecOf, type Vod } from "../catalog/vod.ts";
import { emptyAnswer, jsonAnswer, type Answer } from "../http/answer.ts";
import { bytesOf } from "../http/byte-source.ts";
import type { World } from "../world.ts";
import { drawFrame, paletteOf } from "./frame.ts";
import { encodePng, type Canvas } from "./png.ts";

/** A VOD's picture, and its storyboards as Twitch lays them out (docs/twitch.md#storyboards). */
export const pictureRe = /^\/(?:cf_vods|media\/[\w-]+\/storyboards)\//;
const thumbnailRe = /^\/cf_vods\/\w+\/(\w+)\/\/thumb\/thumb0-\d+x\d+\.jpg$/;
const storyboardRe = /^\/media\/([\w-]+)\/storyboards\/\d+-(info\.json|(low|high)-(\d)\.jpg)$/;

const THUMBNAIL = { width: 320, height: 180 };
const MAX_FRAMES = 50;
const SIZES = {
  low: { width: 80, height: 45, cols: 5, rows: 10 },
  high: { width: 160, height: 90, cols: 5, rows: 5 },
} as const;

export function answerPicture(world: World, url: URL): Answer {
  const thumbnail = thumbnailRe.exec(url.pathname);
  if (thumbnail !== null) {
    const vod = world.vods.byFolder(thumbnail[1] ?? "");
    return vod === null ? emptyAnswer(404) : drawThumbnail(vod);
  }
  const [, folder = "", file, quality, sheet] = storyboardRe.exec(url.pathname) ?? [];
  const vod = world.vods.byFolder(folder);
  if (vod === null) return emptyAnswer(403);
  if (file === "info.json") return jsonAnswer(200, [indexOf(vod, "low"), indexOf(vod, "high")]);
  return drawSheet(vod, quality === "low" ? "low" : "high", Number(sheet));
}

function framesOf(vod: Vod): { frames: number; intervalSec: number } {
  const durationSec = durationSecOf(vod);
  const intervalSec = Math.max(1, Math.ceil(durationSec / MAX_FRAMES));
  return { intervalSec, frames: Math.max(1, Math.ceil(durationSec / intervalSec)) };
}

function indexOf(vod: Vod, quality: keyof typeof SIZES): Record<string, unknown> {
  const { frames, intervalSec } = framesOf(vod);
  const { cols, rows, ...size } = SIZES[quality];
  const sheets = Math.ceil(frames / (cols * rows));
  const images = Array.from({ length: sheets }, (_, sheet) => `${vod.id}-${quality}-${sheet}.jpg`);
  return { count: frames, ...size, rows, cols, images, interval: intervalSec, quality };
}

function drawThumbnail(vod: Vod): Answer {
  const canvas = blank(THUMBNAIL.width, THUMBNAIL.height);
  const durationSec = durationSecOf(vod);
  drawFrame(canvas, { x: 0, y: 0, ...THUMBNAIL }, { atSec: durationSec / 2, durationSec });
  return pngAnswer(vod, canvas);
}

function drawSheet(vod: Vod, quality: keyof typeof SIZES, sheet: number): Answer {
  const { width, height, cols, rows } = SIZES[quality];
  const { frames, intervalSec } = framesOf(vod);
  const first = sheet * cols * rows;
  if (first >= frames) return emptyAnswer(403);
  const canvas = blank(width * cols, height * rows);
  for (let cell = 0; cell < Math.min(cols * rows, frames - first); cell += 1) {
    const place = { x: (cell % cols) * width, y: Math.floor(cell / cols) * height, width, height };
    const moment = { atSec: (first + cell) * intervalSec, durationSec: durationSecOf(vod) };
    drawFrame(canvas, place, moment);
  }
  return pngAnswer(vod, canvas);
}

function blank(width: number, height: number): Canvas {
  return { width, height, pixels: new Uint8Array(width * height) };
}

/** PNG in spite of the extension, which saves an encoder of JPEG. */
function pngAnswer(vod: Vod, canvas: Canvas): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "image/png",
      "cache-control": "public, max-age=3600",
      // The console loads thumbnails from another origin, like Twitch's own.
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
    },
    body: bytesOf(encodePng(canvas, paletteOf(vod.id))),
  };
}
