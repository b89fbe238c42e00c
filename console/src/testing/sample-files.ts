import { uploadIdSchema, userIdSchema } from "#contract/ids.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { ago } from "./ago.ts";
import { FILE_KEY, NOVA, WATCHED } from "./sample-uploads.ts";

const GB = 1_024 ** 3;

const FILE = {
  lastModified: ago(60),
  userId: NOVA.userId,
  username: NOVA.username,
  downloadUrl: "/download",
};
export const WATCHED_FILE = buildFile({
  ...FILE,
  key: FILE_KEY,
  filename: "evening.ts",
  size: 2 * GB,
  uploadId: uploadIdSchema.parse(WATCHED),
  verifiedAt: ago(30),
  recordedAt: ago(3_000),
  chapters: [
    { startSec: 0, title: "Just Chatting" },
    { startSec: 1_800, title: "A game with a long name: the second part" },
  ],
  metadata: {
    title: "Evening stream: the whole campaign in one sitting, with viewers",
    rendition: "1080p60",
    resolution: "1920x1080",
    codecs: "avc1.64002A, mp4a.40.2",
  },
});
/** One of each type and status. */
export const FILES = [
  WATCHED_FILE,
  buildFile({
    ...FILE,
    key: "vods/1/3/damaged.ts",
    filename: "damaged.ts",
    size: GB,
    status: "partial",
    metadata: { problem: "Two parts no longer hold the bytes that were proved." },
  }),
  buildFile({
    ...FILE,
    key: "manual/9/a-very-long-name-of-a-file-that-no-column-has-room-for.mp4",
    filename: "a-very-long-name-of-a-file-that-no-column-has-room-for.mp4",
    uploadType: "manual",
    userId: userIdSchema.parse("72"),
    username: "max_power",
  }),
  buildFile({
    key: "vods/1/4/left-behind.ts",
    filename: null,
    username: null,
    userId: null,
    vodId: null,
    uploadType: "chunk",
    status: "orphaned",
    lastModified: ago(90_000),
  }),
];
