import type { ObjectKey, StoredFile } from "#contract/files.ts";

/** A stored file whose key is valid, so that calls take it. */
export type WatchedFile = StoredFile & { readonly key: ObjectKey };
