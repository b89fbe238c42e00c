import { createHash, randomUUID } from "node:crypto";
import type { ObjectKey } from "#contract/files.ts";
import {
  StoreError,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  type TagAlgorithm,
} from "#service/ports/object-store.ts";

/** An in-memory object store with R2's rules for parts, which can corrupt data on purpose. */
export type MemoryStore = ObjectStore & {
  readonly objects: ReadonlyMap<string, Uint8Array>;
  readonly openMultiparts: number;
  /** Changes every part's bytes before they are stored. */
  spoil: (bytes: Uint8Array) => Uint8Array;
};

type Multipart = {
  readonly key: ObjectKey;
  readonly options: PutOptions;
  readonly parts: Map<number, { bytes: Uint8Array; tag: string }>;
};

const MIN_PART_BYTES = 5 * 1024 * 1024;

export function createMemoryStore(partTagAlgorithm: TagAlgorithm = "sha-256"): MemoryStore {
  const objects = new Map<string, Uint8Array>();
  const heads = new Map<string, ObjectHead>();
  const multiparts = new Map<string, Multipart>();

  function digest(bytes: Uint8Array): string {
    return createHash(partTagAlgorithm === "md5" ? "md5" : "sha256")
      .update(bytes)
      .digest("hex");
  }

  function store(key: ObjectKey, bytes: Uint8Array, tag: string, options: PutOptions): ObjectHead {
    const head: ObjectHead = {
      key,
      sizeBytes: bytes.byteLength,
      lastModifiedAt: new Date(),
      tag,
      contentType: options.contentType,
      metadata: options.metadata ?? {},
    };
    objects.set(key, bytes);
    heads.set(key, head);
    return head;
  }

  function find(multipartId: string): Multipart {
    const found = multiparts.get(multipartId);
    if (found === undefined) throw new StoreError("no_such_upload", "There is no such upload");
    return found;
  }

  const memory: MemoryStore = {
    objects,
    get openMultiparts() {
      return multiparts.size;
    },
    spoil: (bytes) => bytes,
    partTagAlgorithm,
    name: "memory",
    isShared: false,
    async put(key, body, options) {
      return store(key, new Uint8Array(body), digest(body), options);
    },
    async get(key, range) {
      const bytes = objects.get(key);
      const head = heads.get(key);
      if (bytes === undefined || head === undefined) return null;
      const start = range?.offset ?? 0;
      const wanted = bytes.slice(start, range === undefined ? undefined : start + range.length);
      return { head, body: new Blob([wanted]).stream() };
    },
    async head(key) {
      return heads.get(key) ?? null;
    },
    async list() {
      return { objects: [...heads.values()], cursor: null };
    },
    async delete(key) {
      objects.delete(key);
      heads.delete(key);
    },
    async createMultipart(key, options) {
      const multipartId = randomUUID();
      multiparts.set(multipartId, { key, options, parts: new Map() });
      return { key, multipartId };
    },
    async uploadPart({ multipartId }, partNumber, bytes) {
      const stored = memory.spoil(new Uint8Array(bytes));
      const tag = partTagAlgorithm === "none" ? randomUUID() : digest(stored);
      find(multipartId).parts.set(partNumber, { bytes: stored, tag });
      return { partNumber, tag };
    },
    async completeMultipart({ multipartId }, parts) {
      const multipart = find(multipartId);
      const stored = parts.map(({ partNumber, tag }, index) => {
        const part = multipart.parts.get(partNumber);
        if (part === undefined || part.tag !== tag || partNumber !== index + 1)
          throw new StoreError("bad_part", `Part ${partNumber} is not as named`);
        return part.bytes;
      });
      const first = stored[0]?.byteLength ?? 0;
      stored.forEach((bytes, index) => {
        const isLast = index === stored.length - 1;
        if (!isLast && (bytes.byteLength !== first || first < MIN_PART_BYTES))
          throw new StoreError("bad_part", `Part ${index + 1} breaks the size rule`);
        if (bytes.byteLength > first)
          throw new StoreError("bad_part", "The last part is larger than the others");
      });
      const hash = createHash(partTagAlgorithm === "md5" ? "md5" : "sha256");
      for (const { tag } of parts) hash.update(tag, "hex");
      multiparts.delete(multipartId);
      const tag = `${hash.digest("hex")}-${parts.length}`;
      return store(multipart.key, Buffer.concat(stored), tag, multipart.options);
    },
    async abortMultipart({ multipartId }) {
      multiparts.delete(multipartId);
    },
    async listMultiparts() {
      return [...multiparts].map(([multipartId, { key }]) => ({
        key,
        multipartId,
        startedAt: new Date(0),
      }));
    },
  };
  return memory;
}
