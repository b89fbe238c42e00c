import { hash } from "node:crypto";
import type { TwitchPart } from "./claims.ts";
import type { Vod } from "./vod.ts";

export type VodTable = ReturnType<typeof createVodTable>;

/** The first id for VODs added by tests; built-in ones are between 2000000001 and 2000009999. */
const FIRST_ADDED_ID = 3_000_000_001;

export function createVodTable(catalog: readonly Vod[]) {
  const vods = new Map<string, Vod>();
  const folders = new Map<string, string>();
  const owners = new Map<string, Map<string, Vod>>();
  let nextId = FIRST_ADDED_ID;

  function add(vod: Vod): void {
    vods.set(vod.id, vod);
    folders.set(mediaFolder(vod), vod.id);
    const owned = owners.get(vod.ownerId) ?? new Map<string, Vod>();
    owners.set(vod.ownerId, owned.set(vod.id, vod));
  }

  for (const vod of catalog) add(vod);
  return {
    get: (id: string) => vods.get(id) ?? null,
    byFolder: (folder: string) => vods.get(folders.get(folder) ?? "") ?? null,
    /** Null also for a VOD that this part of Twitch denies. */
    seenBy(part: TwitchPart, id: string): Vod | null {
      const vod = vods.get(id);
      return vod === undefined || vod.claims[part].isMissing === true ? null : vod;
    },
    byOwner: (ownerId: string) => [...(owners.get(ownerId)?.values() ?? [])],
    all: () => [...vods.values()],
    add,
    delete(id: string): boolean {
      const vod = vods.get(id);
      if (vod !== undefined) {
        folders.delete(mediaFolder(vod));
        owners.get(vod.ownerId)?.delete(id);
      }
      return vods.delete(id);
    },
    nextId(): string {
      while (vods.has(String(nextId))) nextId += 1;
      const id = String(nextId);
      nextId += 1;
      return id;
    },
  };
}

/**
 * `<20 hex>_<login or owner>_<broadcast id>_<unix start>`, as on the CDN
 * (docs/twitch.md#media-playlists).
 */
export function mediaFolder(vod: Vod): string {
  const hex = hash("sha1", vod.id).slice(0, 20);
  return `${hex}_${vod.ownerId}_${vod.streamId ?? vod.id}_${Math.floor(vod.createdAt / 1_000)}`;
}
