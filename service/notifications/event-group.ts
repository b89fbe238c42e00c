import type { EventType } from "#contract/notification-events.ts";
import { failureClassSchema, type FailureClass } from "#contract/upload.ts";
import { oneLine } from "./message-text.ts";

/** The texts of an event. */
export type EventText = {
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
};

type Group = { readonly many: string; readonly link: string };

/** Types whose events are announced together; the others, such as completions, come one by one. */
const GROUPS: Partial<Record<EventType, Group>> = {
  upload_failed: { many: "uploads failed", link: "/uploads/failed" },
  retries_exhausted: { many: "uploads have no retries left", link: "/uploads/failed" },
  upload_stalled: { many: "uploads stalled", link: "/uploads?status=processing" },
  source_incomplete: {
    many: "videos are shorter than their source states",
    link: "/uploads?status=completed",
  },
  chat_incomplete: { many: "chat replays are incomplete", link: "/uploads?status=completed" },
  vod_in_danger: { many: "VODs wait and may be deleted soon", link: "/channels?state=danger" },
  vod_lost: { many: "VODs were deleted before they were stored", link: "/channels?state=lost" },
  channel_trouble: { many: "channels give no VODs", link: "/channels?state=trouble" },
  file_damaged: { many: "stored files are damaged", link: "/files?status=partial" },
};

const SOUND_AGAIN: Group = { many: "stored files are sound again", link: "/files" };

const CAUSES: Readonly<Record<FailureClass, string>> = {
  try_later: "the source was unavailable",
  gone_at_source: "gone at the source",
  needs_entitlement: "the source refuses access",
  source_corrupt: "the source is damaged",
  storage: "the object store failed",
  ours: "a fault of this service",
};

export function isGrouped(type: EventType): boolean {
  return GROUPS[type] !== undefined;
}

/** The texts of a delivery that stands for `events` events, of which `first` is the first. */
export function groupText(
  type: EventType,
  cause: string | null,
  events: number,
  first: EventText,
): EventText {
  const group = cause === "sound_again" ? SOUND_AGAIN : GROUPS[type];
  if (events === 1 || group === undefined) return first;
  const failure = failureClassSchema.safeParse(cause).data;
  return {
    title: `${events} ${group.many}${failure === undefined ? "" : `: ${CAUSES[failure]}`}`,
    body: `The first: ${oneLine(first.title)}\n${first.body}`,
    link: failure === undefined ? group.link : `${group.link}?cause=${failure}`,
  };
}
