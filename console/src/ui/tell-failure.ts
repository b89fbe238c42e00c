import { sessionState } from "#console/lib/session-store.ts";
import { toast } from "./toast-store.ts";

/**
 * Says that a call failed, unless the session ended over it: that is silent, and the login screen
 * says enough (docs/console.md#session).
 */
export function tellFailure(text: string): void {
  if (sessionState().status !== "signed-out") toast.error(text);
}
