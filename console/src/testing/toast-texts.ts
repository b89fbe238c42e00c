import { toast } from "#console/ui/toast-store.ts";

/** The messages that have appeared, even if they are gone: a busy machine may look too late. */
export function toastTexts(): readonly string[] {
  return toast.store.state.history.map(({ text }) => text);
}
