import { useEffect, useState } from "react";
import { useMediaQuery } from "#console/lib/media-query.ts";
import { playerSettings, rememberSettings } from "./player-memory.ts";

/** How the video is shown, and what changes that. */
export type View = {
  /** It takes the window: by choice on wide screens, and always on a phone that lies on its side. */
  readonly isTheater: boolean;
  readonly isFull: boolean;
  readonly isSideShown: boolean;
  readonly toggleTheater: () => void;
  readonly toggleFull: () => void;
  /** Undefined where what is beside the video can't be hidden. */
  readonly toggleSide: (() => void) | undefined;
};

/** The player's parent fills the screen with it: what is beside the video is there as well. */
export function useView(player: HTMLElement | null): View {
  const [chosen, setChosen] = useState(playerSettings);
  const [isFull, setIsFull] = useState(false);
  const isWide = useMediaQuery("(width >= 64rem)");
  const isLow = useMediaQuery("(height < 30rem) and (orientation: landscape)");
  useEffect(() => {
    const note = () => setIsFull(document.fullscreenElement?.contains(player) === true);
    document.addEventListener("fullscreenchange", note);
    return () => document.removeEventListener("fullscreenchange", note);
  }, [player]);
  async function toggleFull() {
    if (isFull) await document.exitFullscreen();
    else await player?.parentElement?.requestFullscreen();
  }
  function change(settings: Partial<typeof chosen>) {
    rememberSettings(settings);
    setChosen({ ...chosen, ...settings });
  }
  const isTheater = isLow || (isWide && chosen.theater);
  const mayHide = isFull ? isWide : isTheater;
  return {
    isTheater,
    isFull,
    isSideShown: mayHide ? chosen.side : !isFull,
    toggleTheater: () => change({ theater: !chosen.theater }),
    // The browser may refuse, e.g. without a user's gesture.
    toggleFull: () => void toggleFull().catch(() => undefined),
    toggleSide: mayHide ? () => change({ side: !chosen.side }) : undefined,
  };
}
