import type { TimeRange } from "#contract/upload.ts";
import type { StoredVideo } from "./stored-bytes.ts";

export type Mp4Order = {
  readonly type: "start";
  readonly video: StoredVideo;
  readonly sizeBytes: number;
  /** Null to copy the file as it is. */
  readonly span: TimeRange | null;
  readonly file: FileSystemFileHandle;
  /** A file of the origin's private file system instead of one that the user chose. */
  readonly isTemporary: boolean;
};

export type ToMp4Worker =
  | Mp4Order
  | { readonly type: "renewed"; readonly video: StoredVideo }
  | { readonly type: "cancel" };

export type FromMp4Worker =
  | { readonly type: "progress"; readonly readBytes: number; readonly totalBytes: number }
  /** The service refused the addresses: they expire. Answered by `renewed` or `cancel`. */
  | { readonly type: "renew" }
  | { readonly type: "saved" }
  /** The message is empty if it was cancelled. */
  | { readonly type: "failed"; readonly message: string };
