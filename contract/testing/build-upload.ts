import { uploadSchema, type Upload } from "../upload.ts";
import { build } from "./build.ts";

let counter = 0;

const PLAIN = build(uploadSchema);

/** A pending upload that is valid by the contract; each is a second newer than the previous one. */
export function buildUpload(
  overrides: Partial<Omit<Upload, "id" | "fileKey">> & {
    id?: string;
    fileKey?: string | null;
  } = {},
): Upload {
  counter += 1;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + counter * 1_000).toISOString();
  const { debugInfo } = PLAIN;
  return uploadSchema.parse({
    ...PLAIN,
    id: `upload${counter}`,
    version: 1,
    filename: `streamer-${counter}.ts`,
    originalSizeIsEstimate: true,
    createdAt,
    userId: "user1",
    maxRetries: 3,
    chat: { state: "none", untilSec: null, shortSeconds: [] },
    debugInfo: {
      ...debugInfo,
      internalVodId: `vod${counter}`,
      sessionInfo: { ...debugInfo.sessionInfo, createdAt, maxRetries: 3 },
    },
    ...overrides,
  });
}
