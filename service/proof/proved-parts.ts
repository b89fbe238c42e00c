import type { ObjectKey } from "#contract/files.ts";
import { decodeManifest } from "#service/archiver/archive-manifest.ts";
import type { ProvedObject } from "#service/storage/manifest.ts";
import { sidecarKeys, manualManifestKey } from "#service/storage/object-keys.ts";
import type { ByteRange, ObjectStore } from "#service/ports/object-store.ts";
import { decodeManualManifest } from "#service/manual-uploads/manifest.ts";
import { ownerOfKey } from "#service/storage/key-owner.ts";
import { readStored } from "#service/storage/read-stored.ts";

/**
 * What a file's manifest says was proved when the file was finished; null if the manifest is
 * missing, damaged or unfinished.
 * @throws {StoreError}
 */
export async function readProvedParts(
  objects: ObjectStore,
  key: ObjectKey,
): Promise<ProvedObject | null> {
  const manifestKey = manifestKeyOf(key);
  const bytes = manifestKey === null ? null : await readStored(objects, manifestKey);
  return bytes === null ? null : decodeProof(bytes);
}

/** Null if the bytes are not the manifest of a finished file. */
export function decodeProof(manifest: Uint8Array): ProvedObject | null {
  return (decodeManifest(manifest) ?? decodeManualManifest(manifest))?.stored ?? null;
}

/** Null for objects of which nothing was proved. */
export function manifestKeyOf(key: ObjectKey): ObjectKey | null {
  const owner = ownerOfKey(key);
  if (owner === null || owner.isSidecar) return null;
  if (owner.uploadType === "manual") return manualManifestKey(owner);
  return sidecarKeys(key).find((sidecar) => sidecar.endsWith(".manifest.json")) ?? null;
}

export function rangeOfPart(proved: ProvedObject, partNumber: number): ByteRange {
  const offset = (partNumber - 1) * proved.partSizeBytes;
  return { offset, length: Math.min(proved.partSizeBytes, proved.sizeBytes - offset) };
}
