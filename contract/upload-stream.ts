import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { uploadIdSchema } from "./ids.ts";
import { uploadSchema } from "./upload.ts";
import { booleanParameter } from "./values.ts";

export const uploadStreamMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("connection") }),
  z.object({ type: z.literal("heartbeat") }),
  z.object({ type: z.literal("upload_update"), upload: uploadSchema }),
  /** An upload's record was deleted; the console removes its row. */
  z.object({ type: z.literal("upload_deleted"), id: uploadIdSchema }),
  /** The administrator's number of unread notifications changed. */
  z.object({ type: z.literal("notification"), unread: z.int() }),
]);
export type UploadStreamMessage = z.infer<typeof uploadStreamMessageSchema>;

export const uploadStream = defineCall({
  method: "GET",
  path: "/admin/uploads/stream",
  policy: "read:uploads",
  summary: "Changes of uploads as they happen",
  query: z.strictObject({ token: z.optional(z.string()), live: z.optional(booleanParameter) }),
  data: uploadStreamMessageSchema,
  stream: true,
});
