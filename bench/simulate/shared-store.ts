import { hash } from "node:crypto";
import type { ObjectKey } from "#contract/files.ts";
import {
  StoreError,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  type TagAlgorithm,
} from "#service/ports/object-store.ts";
import { OWNER_KEY } from "#service/store/store-owner.ts";
import { mustHold } from "./broken-invariant.ts";
import type { Faults } from "./faults.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Life } from "./life.ts";
import { PART_BYTES } from "./simulated-vod.ts";
import type { Timeline } from "./timeline.ts";

type StoredPart = { readonly bytes: Uint8Array; readonly tag: string };
type Multipart = {
  readonly key: ObjectKey;
  readonly options: PutOptions;
  readonly startedAt: Date;
  readonly parts: Map<number, StoredPart>;
};
type StoredObject = { readonly head: ObjectHead; readonly bytes: Uint8Array };

export type SharedStore = ReturnType<typeof createSharedStore>;

export function partName(multipartId: string, partNumber: number, tag: string): string {
  return `${multipartId}/${partNumber}/${tag}`;
}

const MIN_PART_BYTES = PART_BYTES;

/** A mark that was seen counts for five seconds, and a call takes up to two. */
const NOTICED_WITHIN_MS = 8_000;

/** The object store of all processes, with R2's rules and the failures of the port's contract. */
export function createSharedStore(
  timeline: Timeline,
  faults: Faults,
  dice: SeededDice,
  partTagAlgorithm: TagAlgorithm,
) {
  const own = {
    objects: new Map<string, StoredObject>(),
    multiparts: new Map<string, Multipart>(),
  };
  /** What the calls see: an unmounted disk leaves an empty folder. */
  let seen = own;
  let unmountedAtMs = -Infinity;
  let isDenying = false;
  /** Size of each part that was ever confirmed, by {@link partName}. */
  const confirmed = new Map<string, number>();
  /** Keys of multipart uploads that the store lost by itself. */
  const forgotten = new Set<string>();
  let ids = 0;

  function digest(bytes: Uint8Array): string {
    return hash(partTagAlgorithm === "md5" ? "md5" : "sha256", bytes, "hex");
  }

  function keep(key: ObjectKey, bytes: Uint8Array, tag: string, options: PutOptions): ObjectHead {
    const head: ObjectHead = {
      key,
      sizeBytes: bytes.byteLength,
      lastModifiedAt: new Date(timeline.now()),
      tag,
      contentType: options.contentType,
      metadata: options.metadata ?? {},
    };
    seen.objects.set(key, { head, bytes });
    return head;
  }

  function find(multipartId: string): Multipart {
    const found = seen.multiparts.get(multipartId);
    if (found === undefined) throw new StoreError("no_such_upload", "There is no such upload");
    return found;
  }

  function maybeForget(multipartId: string): void {
    const found = seen.multiparts.get(multipartId);
    if (found === undefined || !dice.chance(faults.multipartForgotten)) return;
    seen.multiparts.delete(multipartId);
    forgotten.add(found.key);
  }

  function complete(
    multipartId: string,
    parts: readonly { readonly partNumber: number; readonly tag: string }[],
  ): ObjectHead {
    const multipart = find(multipartId);
    const stored = parts.map(({ partNumber, tag }, index) => {
      const part = multipart.parts.get(partNumber);
      if (part === undefined || part.tag !== tag || partNumber !== index + 1)
        throw new StoreError("bad_part", `Part ${partNumber} is not as named`);
      return part.bytes;
    });
    const sizeBytes = stored[0]?.byteLength ?? 0;
    for (const [index, bytes] of stored.entries()) {
      const isLast = index === stored.length - 1;
      const breaksRule = isLast
        ? bytes.byteLength > sizeBytes
        : bytes.byteLength !== sizeBytes || sizeBytes < MIN_PART_BYTES;
      if (breaksRule) throw new StoreError("bad_part", `Part ${index + 1} breaks the size rule`);
    }
    seen.multiparts.delete(multipartId);
    const [first] = stored;
    const bytes = stored.length === 1 && first !== undefined ? first : Buffer.concat(stored);
    const tags = Uint8Array.from(parts.flatMap(({ tag }) => [...Buffer.from(tag, "hex")]));
    return keep(multipart.key, bytes, `${digest(tags)}-${parts.length}`, multipart.options);
  }

  function connect(life: Life): ObjectStore {
    function ask<T>(
      what: string,
      mayActLate: boolean,
      takesRoom: boolean,
      effect: () => T,
    ): Promise<T> {
      const way = { delayMs: dice.between(5, 400), answerAfterMs: dice.between(5, 1_500) };
      const kind = dice.random();
      const late = seen === own && mayActLate && dice.chance(faults.storeActsLate);
      return life.call(`store ${what}`, way, () => {
        if (takesRoom && dice.chance(faults.storeFull)) throw new StoreError("full", "No room");
        if (isDenying) throw new StoreError("denied", "Access denied");
        if (kind < faults.storeRefuses) throw new StoreError("unavailable", "Refused");
        if (late) {
          timeline.at(dice.between(100, 60_000), () => {
            try {
              effect();
            } catch (error) {
              if (!(error instanceof StoreError)) throw error;
            }
          });
          throw new StoreError("unavailable", "No answer; carried out later");
        }
        // A process that was suspended in the first claim of all would claim the mount point.
        if (seen !== own && what === `put ${OWNER_KEY}`)
          throw new StoreError("unavailable", "Read-only");
        mustHold(
          seen === own ||
            life.wasDisturbed ||
            !/^(complete|delete|abort)/.test(what) ||
            timeline.monotonic() - unmountedAtMs < NOTICED_WITHIN_MS,
          "nothing is completed or deleted in a foreign store",
          what,
        );
        const result = effect();
        if (kind < faults.storeRefuses + faults.storeAnswerLost)
          throw new StoreError("unavailable", "The answer was lost");
        return result;
      });
    }

    return {
      partTagAlgorithm,
      name: "simulated",
      put: (key, body, options) => {
        const bytes = new Uint8Array(body);
        return ask(`put ${key}`, false, true, () => keep(key, bytes, digest(bytes), options));
      },
      get: async (key, range) => {
        const found = await ask(`get ${key}`, false, false, () => seen.objects.get(key));
        if (found === undefined) return null;
        const { head, bytes } = found;
        const part =
          range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length);
        return { head, body: streamOf(new Uint8Array(part)) };
      },
      head: (key) => ask(`head ${key}`, false, false, () => seen.objects.get(key)?.head ?? null),
      list: ({ prefix = "" }) =>
        ask(`list ${prefix}`, false, false, () => ({
          objects: [...seen.objects.values()]
            .map(({ head }) => head)
            .filter(({ key }) => key.startsWith(prefix))
            .toSorted((one, other) => (one.key < other.key ? -1 : 1)),
          cursor: null,
        })),
      delete: (key) => ask(`delete ${key}`, false, false, () => void seen.objects.delete(key)),
      createMultipart: (key, options) =>
        ask(`begin ${key}`, false, true, () => {
          ids += 1;
          const multipartId = `m${ids}`;
          const startedAt = new Date(timeline.now());
          seen.multiparts.set(multipartId, { key, options, startedAt, parts: new Map() });
          return { key, multipartId };
        }),
      uploadPart({ multipartId }, partNumber, bytes) {
        const sent = new Uint8Array(bytes);
        return ask(`part ${multipartId}/${partNumber} ${bytes.byteLength}`, true, true, () => {
          maybeForget(multipartId);
          const multipart = find(multipartId);
          if (dice.chance(faults.partDamaged)) sent.fill(0, 0, 8);
          const tag = partTagAlgorithm === "none" ? `${(ids += 1)}`.padStart(8, "0") : digest(sent);
          multipart.parts.set(partNumber, { bytes: sent, tag });
          confirmed.set(partName(multipartId, partNumber, tag), sent.byteLength);
          return { partNumber, tag };
        });
      },
      completeMultipart: ({ multipartId }, parts) =>
        ask(`complete ${multipartId}`, true, false, () => {
          maybeForget(multipartId);
          return complete(multipartId, parts);
        }),
      abortMultipart: ({ multipartId }) =>
        ask(`abort ${multipartId}`, false, false, () => void seen.multiparts.delete(multipartId)),
      listMultiparts: () =>
        ask("list multiparts", false, false, () =>
          [...seen.multiparts].map(([multipartId, { key, startedAt }]) => ({
            key,
            multipartId,
            startedAt,
          })),
        ),
    };
  }

  return {
    ...own,
    confirmed,
    forgotten,
    connect,
    /** An object of this size, without its bytes. */
    hold(key: ObjectKey, sizeBytes: number): void {
      const bytes = new Uint8Array(0);
      const head = keep(key, bytes, "00", { contentType: "video/mp2t" });
      own.objects.set(key, { head: { ...head, sizeBytes }, bytes });
    },
    /** For a while, calls see an empty store. */
    unmount(forMs: number): void {
      if (seen !== own) return;
      seen = { objects: new Map(), multiparts: new Map() };
      unmountedAtMs = timeline.monotonic();
      timeline.at(forMs, () => void (seen = own));
    },
    /** For a while, every call is refused. */
    deny(forMs: number): void {
      isDenying = true;
      timeline.at(forMs, () => void (isDenying = false));
    },
  };
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
