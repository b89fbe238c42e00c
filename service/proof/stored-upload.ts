import type { ObjectKey } from "#contract/files.ts";
import type { Quality, WithheldRendition } from "#contract/quality.ts";
import type { FailureClass, TimeRange, UploadKind } from "#contract/upload.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { archiveFileMetadata } from "#service/archiver/archive-finish.ts";
import {
  decodeManifest,
  recordedAtMs,
  timeRanges,
  type ArchiveManifest,
  type Rights,
} from "#service/archiver/archive-manifest.ts";
import { failureClassOfGaps, playbackGaps } from "#service/archiver/playback-gaps.ts";
import { findShortfall, playlistDurationSec } from "#service/archiver/stated-duration.ts";
import {
  archiveFilename,
  archiveKeys,
  contentType,
  manualManifestKey,
  pictureKeys,
} from "#service/storage/object-keys.ts";
import { renditionLabel } from "#service/source/rendition-choice.ts";
import { itemIdOf } from "#service/storage/item-id.ts";
import { readStored } from "#service/storage/read-stored.ts";
import type { ObjectHead, ObjectStore } from "#service/ports/object-store.ts";
import { decodeManualManifest, type ManualManifest } from "#service/manual-uploads/manifest.ts";

/** Everything about one upload that its manifest and stored objects contain. */
export type StoredUpload = {
  readonly id: string;
  readonly kind: UploadKind;
  readonly vodId: string | null;
  readonly sourceUrl: string | null;
  readonly filename: string;
  readonly title: string | null;
  readonly rights: Rights;
  readonly consentTextVersion: number | null;
  readonly owner: { readonly id: string; readonly login: string; readonly displayName: string };
  readonly objectKey: ObjectKey;
  readonly playlistKey: ObjectKey | null;
  readonly manifestKey: ObjectKey;
  readonly chatKey: ObjectKey | null;
  readonly hasThumbnail: boolean;
  readonly hasStoryboard: boolean;
  readonly contentType: string;
  /** Current size of the object in the store. */
  readonly sizeBytes: number;
  readonly partSizeBytes: number | null;
  readonly durationSec: number | null;
  readonly statedDurationSec: number | null;
  readonly segments: { readonly done: number; readonly total: number } | null;
  readonly recordedAtMs: number | null;
  readonly quality: Quality;
  readonly rendition: string | null;
  readonly withheldRendition: WithheldRendition | null;
  readonly mutedRanges: readonly TimeRange[];
  readonly missingRanges: readonly TimeRange[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly finishedAtMs: number;
  /** A sentence that says why the file is incomplete; null if it is complete. */
  readonly problem: string | null;
  readonly failureClass: FailureClass;
};

/**
 * Reads one manifest and looks up its object. `unfinished`: the manifest has no object yet.
 * @throws {StoreError} when the store does not answer
 */
export async function readStoredUpload(
  objects: ObjectStore,
  manifestKey: ObjectKey,
): Promise<StoredUpload | "unfinished" | "unreadable"> {
  const bytes = await readStored(objects, manifestKey);
  if (bytes === null) return "unreadable";
  const archive = decodeManifest(bytes);
  if (archive !== null) return readArchive(objects, manifestKey, archive);
  const manual = decodeManualManifest(bytes);
  return manual === null ? "unreadable" : readManual(objects, manifestKey, manual);
}

async function readArchive(
  objects: ObjectStore,
  manifestKey: ObjectKey,
  manifest: ArchiveManifest,
): Promise<StoredUpload | "unfinished" | "unreadable"> {
  const { source, stored, container } = manifest;
  const vodId = itemIdOf(source.vodId, manifest.part);
  const identity = {
    ownerId: source.ownerId,
    vodId,
    uploadId: manifest.uploadId,
  };
  const keys = archiveKeys(identity, container);
  if (keys.manifest !== manifestKey) return "unreadable";
  const [head, playlist, chat, thumbnail, storyboard] = await Promise.all([
    objects.head(keys.object),
    objects.head(keys.playlist),
    objects.head(keys.chat),
    objects.head(keys.thumbnail),
    objects.head(keys.storyboard),
  ]);
  if (head === null) return "unfinished";
  const isMissing = (index: number) => stored?.units[index]?.isMissing ?? false;
  const gaps = stored === undefined ? null : playbackGaps(manifest.units, stored.units);
  const missingRanges =
    gaps === null ? [] : timeRanges(manifest.units, (_, index) => gaps[index] !== null);
  const segments = manifest.units.filter((unit) => unit.segment !== null).length;
  const lost = manifest.units.filter((unit, index) => unit.segment !== null && isMissing(index));
  const damage = problemOf(head, stored);
  const isPartial = missingRanges.length > 0 || manifest.isCutOff === true;
  return {
    id: manifest.uploadId,
    kind: source.kind,
    vodId,
    sourceUrl: source.kind === "url" ? source.reference : null,
    filename: archiveFilename(source.fileStem, container),
    title: source.title,
    rights: manifest.rights,
    consentTextVersion: manifest.consentTextVersion ?? null,
    owner: { id: source.ownerId, login: source.ownerLogin, displayName: source.ownerDisplayName },
    objectKey: keys.object,
    playlistKey: playlist === null ? null : keys.playlist,
    manifestKey,
    chatKey: chat === null ? null : keys.chat,
    hasThumbnail: thumbnail !== null,
    hasStoryboard: storyboard !== null,
    contentType: contentType(container),
    sizeBytes: head.sizeBytes,
    partSizeBytes: stored?.partSizeBytes ?? null,
    durationSec: playlistDurationSec(manifest),
    statedDurationSec: findShortfall(manifest)?.statedDurationSec ?? null,
    segments: { done: segments - lost.length, total: segments },
    recordedAtMs: recordedAtMs(manifest),
    quality: manifest.rendition.quality ?? "best",
    rendition: renditionLabel(manifest.rendition),
    withheldRendition: manifest.rendition.withheld ?? null,
    mutedRanges: timeRanges(manifest.units, (unit) => unit.isMuted),
    missingRanges,
    metadata: archiveFileMetadata(manifest, keys, head.tag),
    finishedAtMs: head.lastModifiedAt.getTime(),
    problem: damage ?? (isPartial ? "The source did not have all of it." : null),
    failureClass:
      damage !== null
        ? "storage"
        : manifest.isCutOff === true
          ? "gone_at_source"
          : failureClassOfGaps(gaps ?? []),
  };
}

async function readManual(
  objects: ObjectStore,
  manifestKey: ObjectKey,
  manifest: ManualManifest,
): Promise<StoredUpload | "unfinished" | "unreadable"> {
  const { uploadId, owner, stored } = manifest;
  if (manualManifestKey({ ownerId: owner.id, uploadId }) !== manifestKey) return "unreadable";
  const [head, thumbnail] = await Promise.all([
    objects.head(manifest.objectKey),
    objects.head(pictureKeys({ ownerId: owner.id, vodId: null, uploadId }).thumbnail),
  ]);
  if (head === null) return "unfinished";
  return {
    id: uploadId,
    kind: "manual",
    vodId: null,
    sourceUrl: null,
    filename: manifest.filename,
    title: null,
    rights: "administrator_confirmed",
    consentTextVersion: null,
    owner,
    objectKey: manifest.objectKey,
    playlistKey: null,
    manifestKey,
    chatKey: null,
    hasThumbnail: thumbnail !== null,
    hasStoryboard: false,
    contentType: manifest.contentType,
    sizeBytes: head.sizeBytes,
    partSizeBytes: stored.partSizeBytes,
    durationSec: null,
    statedDurationSec: null,
    segments: null,
    recordedAtMs: null,
    quality: "best",
    rendition: null,
    withheldRendition: null,
    mutedRanges: [],
    missingRanges: [],
    metadata: { tag: head.tag },
    finishedAtMs: head.lastModifiedAt.getTime(),
    problem: problemOf(head, stored),
    failureClass: "storage",
  };
}

function problemOf(head: ObjectHead, stored: { sizeBytes: number } | undefined): string | null {
  if (stored === undefined)
    return "A later run was interrupted; this file was kept by an earlier one.";
  if (head.sizeBytes === stored.sizeBytes) return null;
  return `The store holds ${formatBytes(head.sizeBytes)} of the ${formatBytes(stored.sizeBytes)} that were proved.`;
}
