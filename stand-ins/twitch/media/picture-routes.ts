import { readFileSync } from "node:fs";
import { durationSecOf, type Vod } from "../catalog/vod.ts";
import { emptyAnswer, jsonAnswer, type Answer } from "../http/answer.ts";
import type { World } from "../world.ts";

/** A VOD's picture, and its storyboards as Twitch lays them out (docs/twitch.md#storyboards). */
export const pictureRe = /^\/(?:cf_vods|media\/[\w-]+\/storyboards)\//;
const thumbnailRe = /^\/cf_vods\/\w+\/(\w+)\/\/thumb\/thumb0-\d+x\d+\.jpg$/;
const storyboardRe = /^\/media\/([\w-]+)\/storyboards\/\d+-(info\.json|(low|high)-(\d)\.jpg)$/;

const THUMBNAILS = 4;
const MAX_FRAMES = 50;
const SIZES = {
  low: { width: 80, height: 45, cols: 5, rows: 10 },
  high: { width: 160, height: 90, cols: 5, rows: 5 },
} as const;

export function answerPicture(world: World, url: URL): Answer {
  const thumbnail = thumbnailRe.exec(url.pathname);
  if (thumbnail !== null) {
    const vod = world.vods.byFolder(thumbnail[1] ?? "");
    if (vod === null) return emptyAnswer(404);
    return pngAnswer(`thumbnail-${Number(vod.id) % THUMBNAILS}`);
  }
  const [, folder = "", file, quality, sheet] = storyboardRe.exec(url.pathname) ?? [];
  const vod = world.vods.byFolder(folder);
  if (vod === null) return emptyAnswer(403);
  if (file === "info.json") return jsonAnswer(200, [indexOf(vod, "low"), indexOf(vod, "high")]);
  const kind = quality === "low" ? "low" : "high";
  return Number(sheet) < sheetsOf(vod, kind) ? pngAnswer(`sheet-${kind}`) : emptyAnswer(403);
}

function framesOf(vod: Vod): { frames: number; intervalSec: number } {
  const durationSec = durationSecOf(vod);
  const intervalSec = Math.max(1, Math.ceil(durationSec / MAX_FRAMES));
  return { intervalSec, frames: Math.max(1, Math.ceil(durationSec / intervalSec)) };
}

function indexOf(vod: Vod, quality: keyof typeof SIZES): Record<string, unknown> {
  const { frames, intervalSec } = framesOf(vod);
  const images = Array.from(
    { length: sheetsOf(vod, quality) },
    (_, sheet) => `${vod.id}-${quality}-${sheet}.jpg`,
  );
  return { count: frames, ...SIZES[quality], images, interval: intervalSec, quality };
}

function sheetsOf(vod: Vod, quality: keyof typeof SIZES): number {
  const { cols, rows } = SIZES[quality];
  return Math.ceil(framesOf(vod).frames / (cols * rows));
}

/** The same pictures for all VODs; PNG in spite of the extension. */
function pngAnswer(name: string): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "image/png",
      "cache-control": "public, max-age=3600",
      // The console loads thumbnails from another origin, like Twitch's own.
      "cross-origin-resource-policy": "cross-origin",
      "access-control-allow-origin": "*",
    },
    body: readFileSync(new URL(`./base/pictures/${name}.png`, import.meta.url)),
  };
}
