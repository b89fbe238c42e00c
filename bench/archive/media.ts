import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Number of distinct segments; the playlist repeats them. */
const SEGMENTS = 6;

/**
 * Ten-second MPEG-TS segments of about 8.4 MB, the size of a 1080p60 source
 * (docs/twitch.md#segments), created once by ffmpeg. Noise keeps the encoder at its bit rate.
 */
export function openMedia(folder: string): readonly Uint8Array[] {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, `${SEGMENTS - 1}.ts`))) {
    const seconds = SEGMENTS * 10;
    execFileSync("ffmpeg", [
      ..."-nostdin -v error -y -f lavfi -i".split(" "),
      `testsrc2=size=640x360:rate=30:duration=${seconds},noise=alls=80:allf=t`,
      ..."-f lavfi -i".split(" "),
      `sine=frequency=440:sample_rate=48000:duration=${seconds}`,
      ..."-c:v libx264 -preset ultrafast -b:v 6600k -minrate 6600k -maxrate 6600k".split(" "),
      ..."-bufsize 6600k -g 300 -keyint_min 300 -sc_threshold 0 -c:a aac -b:a 128k".split(" "),
      ..."-f segment -segment_time 10 -segment_format mpegts".split(" "),
      join(folder, "%d.ts"),
    ]);
  }
  return readdirSync(folder)
    .filter((name) => /^[0-5]\.ts$/.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name)));
}
