import type { Part } from "#contract/part.ts";

/*
 * The id of what an upload or a file is of, in their columns `vod_id` and in object keys. A part has an
 * id of its own, made of its VOD's: what looks for a VOD, or counts it as archived, never finds a part.
 */

/** Digits only, as Twitch's ids are; those of direct URLs are not. */
const PART_ID = /^(\d+)-(\d+)-(\d+)$/;

export function itemIdOf(vodId: string, part: Part | null | undefined): string {
  return part ? `${vodId}-${part.startSec}-${part.endSec}` : vodId;
}

export function vodOf(itemId: string): string {
  return PART_ID.exec(itemId)?.[1] ?? itemId;
}

/** Null for a whole VOD or any other video. */
export function partOf(itemId: string | null): Part | null {
  const [, , start, end] = PART_ID.exec(itemId ?? "") ?? [];
  return start === undefined ? null : { startSec: Number(start), endSec: Number(end) };
}

export function isTwitchItem(itemId: string): boolean {
  return /^\d+$/.test(vodOf(itemId));
}
