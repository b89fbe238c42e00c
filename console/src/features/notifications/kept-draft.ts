import * as z from "zod/mini";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import { CHANNELS } from "#contract/notifications.ts";
import type { UserId } from "#contract/ids.ts";
import type { PreferenceDraft } from "./preference-draft.ts";

/**
 * Unsaved preferences outlive the page: a session that ends and a reload lose nothing. They are
 * kept for this tab only, and under the administrator's id, so that whoever signs in next never
 * sees another's address.
 */
const draftSchema: z.ZodMiniType<PreferenceDraft> = z.object({
  telegramUserId: z.string(),
  telegramUsername: z.string(),
  email: z.string(),
  enabledEvents: z.partialRecord(z.enum(EVENT_TYPES), z.array(z.enum(CHANNELS))),
});

const keyOf = (adminId: UserId) => `notification_draft_${adminId}`;

/** Null when there is none, also when an older console wrote something else. */
export function keptDraft(adminId: UserId): PreferenceDraft | null {
  try {
    return draftSchema.parse(JSON.parse(sessionStorage.getItem(keyOf(adminId)) ?? ""));
  } catch {
    return null;
  }
}

/** Null forgets it: it was saved or discarded. */
export function keepDraft(adminId: UserId, draft: PreferenceDraft | null): void {
  if (draft === null) sessionStorage.removeItem(keyOf(adminId));
  else sessionStorage.setItem(keyOf(adminId), JSON.stringify(draft));
}
