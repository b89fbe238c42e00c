import { tabStore } from "#console/lib/browser-storage.ts";
import type { UserId } from "#contract/ids.ts";
import { draftSchema, type PreferenceDraft } from "./preference-draft.ts";

/**
 * Unsaved preferences survive a reload and the end of the session. They are stored per tab and per
 * administrator, so that the next user never sees another's address.
 */
const keyOf = (adminId: UserId) => `notification_draft_${adminId}`;

/** Null if there is none, or an older console stored another format. */
export function keptDraft(adminId: UserId): PreferenceDraft | null {
  try {
    return draftSchema.parse(JSON.parse(tabStore.getItem(keyOf(adminId)) ?? ""));
  } catch {
    return null;
  }
}

/** Null deletes the draft, once saved or discarded. */
export function keepDraft(adminId: UserId, draft: PreferenceDraft | null): void {
  if (draft === null) tabStore.removeItem(keyOf(adminId));
  else tabStore.setItem(keyOf(adminId), JSON.stringify(draft));
}
