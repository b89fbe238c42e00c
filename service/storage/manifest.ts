import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import type { ConfirmedPart } from "./checkpoint.ts";
import { askStore, type StoreRun } from "./multipart.ts";

/**
 * The manifest of an upload is stored as JSON beside its object; enough to verify the object and to
 * rebuild the index. This is what each manifest says of an object that was proved.
 */
export const provedObjectSchema = z.object({
  sizeBytes: z.number(),
  tag: z.string(),
  tagAlgorithm: z.enum(["sha-256", "md5", "none"]),
  partSizeBytes: z.number(),
  /** SHA-256 of each part, in order, so that any part can be verified on its own. */
  partSha256: z.array(z.string()),
});
export type ProvedObject = z.infer<typeof provedObjectSchema>;

export function describeProof(
  { context }: StoreRun,
  { sizeBytes, tag }: ObjectHead,
  partSizeBytes: number,
  parts: readonly ConfirmedPart[],
): ProvedObject {
  const tagAlgorithm = context.platform.objects.partTagAlgorithm;
  const partSha256 = parts.map((part) => part.sha256);
  return { sizeBytes, tag, tagAlgorithm, partSizeBytes, partSha256 };
}

export async function storeManifest(
  run: StoreRun,
  key: ObjectKey,
  manifest: { readonly uploadId: string },
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  const metadata = { uploadId: manifest.uploadId };
  await askStore(run, (objects) =>
    objects.put(key, bytes, { contentType: "application/json", metadata }),
  );
}

/** Returns null if the bytes are not a valid manifest. */
export function parseManifest<Schema extends z.core.$ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): z.output<Schema> | null {
  try {
    return z.parse(schema, JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}
