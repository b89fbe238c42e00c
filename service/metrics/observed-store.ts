import { isBackupKey } from "#service/backups/stored-backups.ts";
import type { UsageMeter } from "#service/costs/usage-meter.ts";
import { replaceOperations, StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import type { Telemetry } from "#service/ports/telemetry.ts";
import type { CopiedBytes } from "#service/history/copied-bytes.ts";

/** Class A changes or lists, class B reads; deleting and aborting are free (R2 pricing). */
export const BILLED_AS = {
  put: "classAOperations",
  get: "classBOperations",
  head: "classBOperations",
  list: "classAOperations",
  delete: null,
  createMultipart: "classAOperations",
  uploadPart: "classAOperations",
  completeMultipart: "classAOperations",
  abortMultipart: null,
  listMultiparts: "classAOperations",
} as const;

export type StoreObservers = {
  readonly meter: UsageMeter;
  readonly copiedBytes: CopiedBytes;
  readonly telemetry: Telemetry | null;
};

/**
 * The same store, counting operations as R2 bills them, the bytes it confirms, and failures. Backups
 * are no copied bytes. An operation is billed when it is attempted, because failed ones are billed too.
 */
export function observeStore(
  objects: ObjectStore,
  { meter, copiedBytes, telemetry }: StoreObservers,
): ObjectStore {
  async function observe<Result>(
    operation: keyof typeof BILLED_AS,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const billedAs = BILLED_AS[operation];
    if (billedAs !== null) meter.count(billedAs);
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) telemetry?.storeFailed(operation, error.kind);
      throw error;
    }
  }

  return replaceOperations(objects, {
    async put(...args) {
      const head = await observe("put", () => objects.put(...args));
      telemetry?.bytesStored(head.sizeBytes);
      return head;
    },
    async get(key, range) {
      const found = await observe("get", () => objects.get(key, range));
      if (found !== null) meter.count("egressBytes", range?.length ?? found.head.sizeBytes);
      return found;
    },
    head: (...args) => observe("head", () => objects.head(...args)),
    list: (...args) => observe("list", () => objects.list(...args)),
    delete: (...args) => observe("delete", () => objects.delete(...args)),
    createMultipart: (...args) =>
      observe("createMultipart", () => objects.createMultipart(...args)),
    async uploadPart(handle, partNumber, bytes, digest) {
      const part = await observe("uploadPart", () =>
        objects.uploadPart(handle, partNumber, bytes, digest),
      );
      if (!isBackupKey(handle.key)) copiedBytes.add(bytes.byteLength);
      telemetry?.bytesStored(bytes.byteLength);
      return part;
    },
    completeMultipart: (...args) =>
      observe("completeMultipart", () => objects.completeMultipart(...args)),
    abortMultipart: (...args) => observe("abortMultipart", () => objects.abortMultipart(...args)),
    listMultiparts: () => observe("listMultiparts", () => objects.listMultiparts()),
  });
}
