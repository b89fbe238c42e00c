import { createHash, hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

type Part = { readonly sizeBytes: number; readonly md5: string };

/** Receives a measured Worker's multipart uploads; keeps only each part's size and MD5. */
export function createPartSink() {
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
    /** Time taken for each part from now on. */
    partMs: 0,
    /** Answers `part/<number>/<key>`, `complete/<key>`, `head/<key>` and `abort/<key>`. */
    async answer(path: string, body: Uint8Array): Promise<object> {
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
    /** Resolves when the next object of that upload is completed. */
    objectOf: (uploadId: string) =>
      new Promise<void>((resolve) => {
        awaited.set(uploadId, resolve);
      }),
  };
}
