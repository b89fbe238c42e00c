import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { objectKeySchema } from "./files.ts";
import { instantSchema, sizeBytesSchema, usdSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** How stored bytes are read again and compared with the digests that were proved. */
export const verificationSchema = z.object({
  /** Every file is read once in so many days; 0 if only on request. */
  cycleDays: count,
  bytesPerMonth: sizeBytesSchema,
  /** What the store charges for that, at AWS's list prices for buckets other than R2's. */
  usdPerMonth: usdSchema,
  /** The same for reading everything once. */
  usdOnce: usdSchema,
  /** Asked for, and not read yet. */
  filesLeft: count,
  bytesLeft: sizeBytesSchema,
  /** The file that was verified longest ago; null if one never was. */
  oldestVerifiedAt: z.nullable(instantSchema),
});
export type Verification = z.infer<typeof verificationSchema>;

export const readVerification = defineCall({
  method: "GET",
  path: "/admin/system/verification",
  policy: "read:system",
  summary: "The pace and cost at which stored bytes are read again, and what is left of requests",
  data: verificationSchema,
});

export const verifyEverything = defineCall({
  method: "POST",
  path: "/admin/system/verification",
  policy: "write:system",
  summary:
    "Let the scrub read all files at full pace: as fast as the store allows while no archive runs",
  data: z.object({ files: count }),
});

export const verifyFile = defineCall({
  method: "POST",
  path: "/admin/r2/verify",
  policy: "write:uploads",
  summary: "Let the scrub read a file before all others, at full pace",
  body: z.strictObject({ key: objectKeySchema }),
  /** False for what is no whole file. */
  data: z.object({ isAsked: z.boolean() }),
});
