import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { instantSchema } from "./values.ts";

export const findingSchema = z.object({
  topic: z.string(),
  /** `problem`: no archive can be whole until it is solved. `advice`: archives are not affected. */
  result: z.enum(["ok", "advice", "problem"]),
  /** What was found or, unless it is ok, what to do. */
  text: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** What the checks found, without secrets. */
export const examinationSchema = z.object({
  at: instantSchema,
  version: z.string(),
  /** True if a VOD could be archived whole, with its chat. */
  canArchive: z.boolean(),
  /** A sentence for each change at Twitch since the last examination. */
  differences: z.array(z.string()),
  findings: z.array(findingSchema),
});
export type Examination = z.infer<typeof examinationSchema>;

export const examineSystem = defineCall({
  method: "POST",
  path: "/admin/system/examine",
  policy: "write:system",
  summary: "Check settings, storage and Twitch; takes up to a minute and changes nothing",
  data: examinationSchema,
});
