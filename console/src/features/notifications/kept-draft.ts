import * as z from "zod/mini";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import { CHANNELS } from "#contract/notifications.ts";
import type { UserId } from "#contract/ids.ts";
import type { PreferenceDraft } from "./preference-draft.ts";

/**
 * Unsaved preferences survive a reload and the end of the session. They are stored per tab and per
 * administrator, so that the next user never sees another's address.
 */
const draftSchema: z.ZodMiniType<PreferenceDraft> = z.object({
  telegramUserId: z.string(),
  telegramUsername: z.string(),
  email: z.string(),
  enabledEvents: z.partialRecord(z.enum(EVENT_TYPES), z.array(z.enum(CHANNELS))),
});

const keyOf = (adminId: UserId) => `notification_draft_${adminId}`;

/** Null if there is none, or an older console stored another format. */
export function keptDraft(adminId: UserId): PreferenceDraft | null {
  try {
    return draftSchema.parse(JSON.parse(sessionStorage.getItem(keyOf(adminId)) ?? ""));
  } catch {
    return null;
  }
}

/** Null deletes the draft, once saved or discarded. */
export function keepDraft(adminId: UserId, draft: PreferenceDraft | null): void {
  if (draft === null) sessionStorage.removeItem(keyOf(adminId));
  else sessionStorage.setItem(keyOf(adminId), JSON.stringify(draft));
}
