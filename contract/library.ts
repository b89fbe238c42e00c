import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { instantSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** The library folder: the stored VODs as media servers want to find them. */
export const librarySchema = z.object({
  /** LIBRARY_DIR. */
  folder: z.string(),
  /** Complete VODs outside the trash. */
  stored: count,
  /** Of these, what is in the library, or was until a person removed it there. */
  listed: count,
  /** Not listed: nobody with the right has agreed to the text that names media servers. */
  withoutConsent: count,
  /** Not listed: the source did not say when the broadcast began. */
  withoutDate: count,
  /** Not listed, each for a reason of its own: the first ones. */
  problems: z.array(z.object({ path: z.string(), text: z.string() })),
  /** Why the whole folder stands still; null if it does not. */
  failure: z.nullable(z.object({ sinceAt: instantSchema, text: z.string() })),
});
export type Library = z.infer<typeof librarySchema>;

export const readLibrary = defineCall({
  method: "GET",
  path: "/admin/library",
  policy: "read:system",
  summary: "The library folder: what is listed, and what is not; null where there is none",
  data: z.object({ library: z.nullable(librarySchema) }),
});

export const rebuildLibrary = defineCall({
  method: "POST",
  path: "/admin/library/rebuild",
  policy: "write:system",
  summary: "Make again what is missing in the library folder, also what a person removed there",
  data: z.object({}),
});
