import { rememberedPosition } from "#console/domain/files/watch-positions.ts";
import { siteStore, storedValue } from "#console/lib/browser-storage.ts";
import * as z from "zod/mini";
import type { Upload } from "#contract/upload.ts";
import { afterRange } from "./timeline-math.ts";
import { parseTime } from "#contract/clock-time.ts";

const SETTINGS_KEY = "player";

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

export function playerSettings(): PlayerSettings {
  return storedValue(SETTINGS_KEY, settingsSchema, z.parse(settingsSchema, {}));
}

export function rememberSettings(changed: Partial<PlayerSettings>): void {
  siteStore.setItem(SETTINGS_KEY, JSON.stringify({ ...playerSettings(), ...changed }));
}

/** Where a video starts: at the time in the address, e.g. `1h2m3s`, or else where it was left. */
export function startOf({ id, metadata }: Upload, at: string | undefined): number {
  const askedSec = at === undefined ? undefined : parseTime(at);
  return afterRange(metadata.missingRanges, askedSec ?? rememberedPosition(id));
}
