import { useEffect } from "react";

/** Listener of `beforeunload`: the browser asks before it closes or reloads the page. */
export function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Has the browser ask while something would be lost. */
export function useAskBeforeLeaving(wouldLose: boolean): void {
  useEffect(() => {
    if (!wouldLose) return undefined;
    addEventListener("beforeunload", askBeforeLeaving);
    return () => removeEventListener("beforeunload", askBeforeLeaving);
  }, [wouldLose]);
}
