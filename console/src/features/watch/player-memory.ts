import { siteStore } from "#console/lib/browser-storage.ts";
import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { afterRange } from "./timeline-math.ts";
import { parseTime } from "./watch-time.ts";

const SETTINGS_KEY = "player";
const POSITIONS_KEY = "watch_positions";
const MAX_POSITIONS = 100;

/** Who stops this close to an end begins anew next time. */
const EDGE_SEC = 5;

export const SPEEDS = ["0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"] as const;

const settingsSchema = z.object({
  volume: z._default(z.number(), 1),
  muted: z._default(z.boolean(), false),
  speed: z._default(z.enum(SPEEDS), "1"),
  theater: z._default(z.boolean(), false),
  /** Whether theater mode and the full screen show the chat beside the video. */
  side: z._default(z.boolean(), true),
});
export type PlayerSettings = z.infer<typeof settingsSchema>;

/** Where each upload was left, the latest last. */
const positionsSchema = z.array(z.object({ id: uploadIdSchema, sec: z.number() }));

function stored<T>(key: string, schema: z.ZodMiniType<T>, absent: T): T {
  try {
    return z.parse(schema, JSON.parse(siteStore.getItem(key) ?? ""));
  } catch {
    return absent;
  }
}

export function playerSettings(): PlayerSettings {
  return stored(SETTINGS_KEY, settingsSchema, z.parse(settingsSchema, {}));
}

export function rememberSettings(changed: Partial<PlayerSettings>): void {
  siteStore.setItem(SETTINGS_KEY, JSON.stringify({ ...playerSettings(), ...changed }));
}

export function rememberedPosition(id: UploadId): number {
  return stored(POSITIONS_KEY, positionsSchema, []).find((known) => known.id === id)?.sec ?? 0;
}

export function rememberPosition(id: UploadId, sec: number, durationSec: number): void {
  const others = stored(POSITIONS_KEY, positionsSchema, []).filter((known) => known.id !== id);
  const isAtEdge = sec < EDGE_SEC || sec > durationSec - EDGE_SEC;
  const positions = isAtEdge ? others : [...others, { id, sec: Math.floor(sec) }];
  siteStore.setItem(POSITIONS_KEY, JSON.stringify(positions.slice(-MAX_POSITIONS)));
}

/** Where a video starts: at the time in the address, e.g. `1h2m3s`, or else where it was left. */
export function startOf({ id, metadata }: Upload, at: string | undefined): number {
  const askedSec = at === undefined ? undefined : parseTime(at);
  return afterRange(metadata.missingRanges, askedSec ?? rememberedPosition(id));
}
