import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";

/** Stored beside a manual upload's object; enough to verify it and to rebuild the index. */
export const manualManifestSchema = z.object({
  version: z.literal(1),
  kind: z.literal("manual"),
  uploadId: uploadIdSchema,
  objectKey: objectKeySchema,
  filename: z.string(),
  contentType: z.string(),
  owner: z.object({ id: z.string(), login: z.string(), displayName: z.string() }),
  createdAt: z.string(),
  stored: z.object({
    sizeBytes: z.number(),
    tag: z.string(),
    tagAlgorithm: z.enum(["sha-256", "md5", "none"]),
    partSizeBytes: z.number(),
    /** SHA-256 of each part, in order. */
    partSha256: z.array(z.string()),
  }),
});
export type ManualManifest = z.infer<typeof manualManifestSchema>;

export function encodeManualManifest(manifest: ManualManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(manifest));
}

/** Returns null if the bytes are not a valid manifest. */
export function decodeManualManifest(bytes: Uint8Array): ManualManifest | null {
  try {
    return manualManifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}
