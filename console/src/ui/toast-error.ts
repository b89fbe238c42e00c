import { session } from "#console/lib/session-store.ts";
import { toast } from "./toast-store.ts";

/**
 * Reports a failed call, unless it ended the session: the login screen says enough then
 * (docs/console.md#session).
 */
export function toastError(text: string): void {
  if (session.state.status !== "signed-out") toast.error(text);
}
