import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { siteStore, storedValue } from "#console/lib/browser-storage.ts";

const POSITIONS_KEY = "watch_positions";
const MAX_POSITIONS = 100;

/** Who stops this close to an end begins anew next time. */
const EDGE_SEC = 5;

/** Where each upload was left, the latest last. */
const positionsSchema = z.array(z.object({ id: uploadIdSchema, sec: z.number() }));

export function rememberedPosition(id: UploadId): number {
  return storedValue(POSITIONS_KEY, positionsSchema, []).find((known) => known.id === id)?.sec ?? 0;
}

export function rememberPosition(id: UploadId, sec: number, durationSec: number): void {
  const positions = storedValue(POSITIONS_KEY, positionsSchema, []);
  const others = positions.filter((known) => known.id !== id);
  const isAtEdge = sec < EDGE_SEC || sec > durationSec - EDGE_SEC;
  const next = isAtEdge ? others : [...others, { id, sec: Math.floor(sec) }];
  siteStore.setItem(POSITIONS_KEY, JSON.stringify(next.slice(-MAX_POSITIONS)));
}
