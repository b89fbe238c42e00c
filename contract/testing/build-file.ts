import { storedFileSchema, type StoredFile } from "../files.ts";

let counter = 0;

/** A complete archive that is valid by the contract. */
export function buildFile(
  overrides: Partial<Omit<StoredFile, "key">> & { key?: string } = {},
): StoredFile {
  counter += 1;
  return storedFileSchema.parse({
    key: `vods/1/2/file${counter}.ts`,
    filename: `streamer-${counter}.ts`,
    title: null,
    durationSec: null,
    size: 1_536,
    lastModified: "2026-01-01T00:00:00.000Z",
    recordedAt: null,
    uploadType: "twitch",
    status: "complete",
    username: "streamer",
    userId: "1",
    vodId: "2",
    uploadId: null,
    isUploadRunning: false,
    hasThumbnail: false,
    hasStoryboard: false,
    chatState: { state: "none", untilSec: null, shortSeconds: [] },
    verifiedAt: null,
    isVerificationDue: false,
    lockedAt: null,
    trashedAt: null,
    trashUntil: null,
    sourceChange: null,
    chapters: [],
    metadata: {},
    ...overrides,
  });
}
