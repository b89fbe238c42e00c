import type { LeftOutReason, VodKind } from "#contract/channel-rules.ts";

/** Of one VOD. */
export const KIND_NAMES: Readonly<Record<VodKind, string>> = {
  archive: "Past broadcast",
  highlight: "Highlight",
  upload: "Upload",
};

export const LEFT_OUT_WORDS: Readonly<Record<LeftOutReason, string>> = {
  kind: "of another kind",
  too_short: "too short",
  title_lacks_words: "title lacks the words",
  title_has_words: "title has excluded words",
  too_old: "from before it was followed",
  retention: "would be removed at once",
  by_hand: "by hand",
};

/** Of an estimate that no stored file of the channel bears out. */
export const ROUGH = "roughly, by a usual bit rate";
