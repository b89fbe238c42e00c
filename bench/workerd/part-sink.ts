import { createHash, hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

/** Receives a measured Worker's multipart uploads; keeps only each part's size and MD5. */
export type PartSink = {
  /** Answers `part/<number>/<key>`, `complete/<key>`, `head/<key>` and `abort/<key>`. */
  answer(path: string, body: Uint8Array): Promise<object>;
  /** Time taken for each part from now on. */
  partMs: number;
  /** Resolves when the next object of that upload is completed. */
  objectOf(uploadId: string): Promise<void>;
};

type Part = { readonly sizeBytes: number; readonly md5: string };

export function createPartSink(): PartSink {
  const uploads = new Map<string, Map<number, Part>>();
  const completed = new Set<string>();
  const awaited = new Map<string, () => void>();

  function store(path: string, body: Uint8Array): object {
    const [number, ...key] = path.split("/");
    const parts = uploads.get(key.join("/")) ?? new Map<number, Part>();
    uploads.set(key.join("/"), parts);
    const md5 = hash("md5", body);
    parts.set(Number(number), { sizeBytes: body.byteLength, md5 });
    return { etag: md5 };
  }

  /** As R2 describes a multipart object: the MD5 of the MD5s, and the number of parts. */
  function describe(key: string): object {
    const parts = [...(uploads.get(key) ?? [])].toSorted(([a], [b]) => a - b);
    const tags = createHash("md5");
    for (const [, { md5 }] of parts) tags.update(md5, "hex");
    return {
      key,
      size: completed.has(key) ? parts.reduce((sum, [, part]) => sum + part.sizeBytes, 0) : 0,
      etag: `${tags.digest("hex")}-${parts.length}`,
      uploaded: new Date(),
    };
  }

  return {
    partMs: 0,
    async answer(path, body) {
      const [what = "", ...rest] = path.split("/");
      const key = rest.join("/");
      if (what === "part") {
        await pause(this.partMs);
        return store(key, body);
      }
      if (what === "complete") {
        completed.add(key);
        for (const [uploadId, resolve] of awaited) if (key.includes(uploadId)) resolve();
      }
      if (what === "abort") uploads.delete(key);
      return describe(key);
    },
    objectOf: (uploadId) =>
      new Promise((resolve) => {
        awaited.set(uploadId, resolve);
      }),
  };
}
