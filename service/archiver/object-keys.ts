import { objectKeySchema, type ObjectKey } from "#contract/files.ts";

export type Container = "ts" | "fmp4";

/** Only ids, so that no name of a person or a stream ends up in a key. */
export type ArchiveIdentity = {
  readonly ownerId: string;
  readonly vodId: string;
  readonly uploadId: string;
};

const EXTENSION = { ts: ".ts", fmp4: ".mp4" } as const satisfies Record<Container, string>;

/** Every object that an archive may leave in the store. */
export type ArchiveKeys = {
  readonly object: ObjectKey;
  readonly playlist: ObjectKey;
  readonly manifest: ObjectKey;
  readonly chat: ObjectKey;
};

export function archiveKeys(identity: ArchiveIdentity, container: Container): ArchiveKeys {
  const stem = `vods/${identity.ownerId}/${identity.vodId}/${identity.uploadId}`;
  return {
    object: objectKeySchema.parse(`${stem}${EXTENSION[container]}`),
    ...sidecars(stem),
  };
}

/** Objects beside an archived object that are deleted with it. */
export function sidecarKeys(objectKey: string): readonly ObjectKey[] {
  return Object.values(sidecars(objectKey.replace(/\.(ts|mp4)$/, "")));
}

/** The file name that people see: the channel's login and the VOD's id. */
export function archiveFilename(ownerLogin: string, vodId: string, container: Container): string {
  return `${ownerLogin}-${vodId}${EXTENSION[container]}`;
}

export function contentType(container: Container): string {
  return container === "ts" ? "video/mp2t" : "video/mp4";
}

function sidecars(stem: string): Omit<ArchiveKeys, "object"> {
  return {
    playlist: objectKeySchema.parse(`${stem}.m3u8`),
    manifest: objectKeySchema.parse(`${stem}.manifest.json`),
    chat: objectKeySchema.parse(`${stem}.chat.json`),
  };
}
