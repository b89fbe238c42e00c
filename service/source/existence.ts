/**
 * Whether an item still exists at its source.
 *
 * A source's interfaces fail independently: each of them has reported "no such item" for items that
 * exist (docs/twitch.md#restricted-and-gone). An item is therefore gone only if all of its witnesses
 * say so, twice, {@link CONFIRM_AFTER_MS} apart. One that does not answer says nothing.
 *
 * What an upload knows by what its witnesses say now, and by whether they have agreed on an absence
 * before (the column `absent_since_at`):
 *
 * | now                  | never agreed on an absence | agreed at `absentSinceMs`                |
 * | -------------------- | -------------------------- | ---------------------------------------- |
 * | any says `present`   | `exists`                   | `exists`, and the absence is forgotten   |
 * | all say `absent`     | `doubted`, from now on     | `doubted`; after a minute or more `gone` |
 * | anything else        | `unknown`                  | `unknown`, and the absence is remembered |
 *
 * A source combines its witnesses with {@link agree} (`SourceError` of class `gone_at_source`: all
 * say `absent`), an upload decides over time with {@link judgeAbsence}. Whoever previews or starts an
 * archive is answered by what the witnesses say now.
 */
export type Testimony = "present" | "absent" | "unanswered";

export function agree(testimonies: readonly Testimony[]): Testimony {
  if (testimonies.includes("present")) return "present";
  return testimonies.length > 0 && testimonies.every((each) => each === "absent")
    ? "absent"
    : "unanswered";
}

/** Longer than the caches of Twitch's interfaces are known to be wrong after a change. */
const CONFIRM_AFTER_MS = 60_000;

export type Absence =
  | { readonly kind: "gone" }
  /** `sinceMs` is the first agreed absence; ask again after `askAgainInMs`. */
  | { readonly kind: "doubted"; readonly sinceMs: number; readonly askAgainInMs: number };

/** All witnesses say `absent` now; `absentSinceMs` is when they first did, null if never before. */
export function judgeAbsence(absentSinceMs: number | null, nowMs: number): Absence {
  const sinceMs = absentSinceMs === null ? nowMs : Math.min(absentSinceMs, nowMs);
  const leftMs = sinceMs + CONFIRM_AFTER_MS - nowMs;
  return leftMs <= 0 ? { kind: "gone" } : { kind: "doubted", sinceMs, askAgainInMs: leftMs };
}
