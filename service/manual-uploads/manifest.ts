import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { parseManifest, provedObjectSchema } from "#service/storage/manifest.ts";

const manualManifestSchema = z.object({
  version: z.literal(1),
  kind: z.literal("manual"),
  uploadId: uploadIdSchema,
  objectKey: objectKeySchema,
  filename: z.string(),
  contentType: z.string(),
  owner: z.object({ id: z.string(), login: z.string(), displayName: z.string() }),
  createdAt: z.string(),
  stored: provedObjectSchema,
});
export type ManualManifest = z.infer<typeof manualManifestSchema>;

/** Returns null if the bytes are not a valid manifest. */
export function decodeManualManifest(bytes: Uint8Array): ManualManifest | null {
  return parseManifest(manualManifestSchema, bytes);
}
