import { replaceOperations, StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import type { Telemetry } from "#service/ports/telemetry.ts";

/** The same store, counting the bytes it confirms and failed operations. */
export function observeStore(objects: ObjectStore, telemetry: Telemetry): ObjectStore {
  async function observe<Result>(operation: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) telemetry.storeFailed(operation, error.kind);
      throw error;
    }
  }
  return replaceOperations(objects, {
    put: (key, body, options) =>
      observe("put", async () => {
        const head = await objects.put(key, body, options);
        telemetry.bytesStored(head.sizeBytes);
        return head;
      }),
    get: (...args) => observe("get", () => objects.get(...args)),
    head: (...args) => observe("head", () => objects.head(...args)),
    list: (...args) => observe("list", () => objects.list(...args)),
    delete: (...args) => observe("delete", () => objects.delete(...args)),
    createMultipart: (...args) =>
      observe("createMultipart", () => objects.createMultipart(...args)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      observe("uploadPart", async () => {
        const part = await objects.uploadPart(handle, partNumber, bytes, digest);
        telemetry.bytesStored(bytes.byteLength);
        return part;
      }),
    completeMultipart: (...args) =>
      observe("completeMultipart", () => objects.completeMultipart(...args)),
    abortMultipart: (...args) => observe("abortMultipart", () => objects.abortMultipart(...args)),
    listMultiparts: () => observe("listMultiparts", () => objects.listMultiparts()),
  });
}
