import { useEffect, useState } from "react";

/** Whether an element fills the screen, and a function to change that. */
export function useFullScreen(element: HTMLElement | null) {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    const note = () => setIsFull(element !== null && document.fullscreenElement === element);
    document.addEventListener("fullscreenchange", note);
    return () => document.removeEventListener("fullscreenchange", note);
  }, [element]);
  async function toggle() {
    if (isFull) await document.exitFullscreen();
    else await element?.requestFullscreen();
  }
  // The browser may refuse, e.g. without a user's gesture.
  return { isFull, toggle: () => void toggle().catch(() => undefined) };
}
