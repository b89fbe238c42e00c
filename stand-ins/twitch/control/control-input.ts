import * as z from "zod/mini";
import type { CustomVod } from "../catalog/custom-vod.ts";

const sizes = z.union([z.number(), z.array(z.number())]);

/** Strict, so that a mistyped field fails the test that sends it. */
export const customVodSchema: z.ZodMiniType<CustomVod> = z.strictObject({
  id: z.exactOptional(z.string().check(z.regex(/^\d{1,15}$/))),
  ownerId: z.exactOptional(z.string()),
  title: z.exactOptional(z.string()),
  container: z.exactOptional(z.enum(["ts", "fmp4", "multi-init-fmp4"])),
  segmentCount: z.exactOptional(z.number()),
  segmentSizeBytes: z.exactOptional(sizes),
  muted: z.exactOptional(z.array(z.number())),
  byteRangePlaylist: z.exactOptional(z.boolean()),
  startOffsetPlaylist: z.exactOptional(z.boolean()),
  growing: z.exactOptional(z.object({ initialSegments: z.exactOptional(z.number()) })),
  paceBytesPerSecond: z.exactOptional(z.number()),
  commentsPerMinute: z.exactOptional(z.number()),
  nullCommentsTimes: z.exactOptional(z.number()),
});
