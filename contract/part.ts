import * as z from "zod/mini";
import { clockTime } from "./clock-time.ts";

/** Longer than any broadcast. */
const MAX_SEC = 999_999;

const secondSchema = z.int().check(z.nonnegative(), z.maximum(MAX_SEC));

/** A stretch of a VOD that is archived alone, in whole seconds from the VOD's start. */
export const partSchema = z.strictObject({ startSec: secondSchema, endSec: secondSchema }).check(
  z.refine(({ startSec, endSec }) => endSec > startSec, {
    path: ["endSec"],
    error: "has to be after the start of the part",
  }),
);
export type Part = z.infer<typeof partSchema>;

/** "part 1:03:00-1:33:00" */
export function partText({ startSec, endSec }: Part): string {
  return `part ${clockTime(startSec)}-${clockTime(endSec)}`;
}
