import { StoreError, type ObjectStore } from "#service/ports/object-store.ts";
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
  return {
    ...objects,
    put: (key, body, options) =>
      observe("put", async () => {
        const head = await objects.put(key, body, options);
        telemetry.bytesStored(head.sizeBytes);
        return head;
      }),
    get: (key, range) => observe("get", () => objects.get(key, range)),
    head: (key) => observe("head", () => objects.head(key)),
    list: (options) => observe("list", () => objects.list(options)),
    delete: (key) => observe("delete", () => objects.delete(key)),
    createMultipart: (key, options) =>
      observe("createMultipart", () => objects.createMultipart(key, options)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      observe("uploadPart", async () => {
        const part = await objects.uploadPart(handle, partNumber, bytes, digest);
        telemetry.bytesStored(bytes.byteLength);
        return part;
      }),
    completeMultipart: (handle, parts) =>
      observe("completeMultipart", () => objects.completeMultipart(handle, parts)),
    abortMultipart: (handle) => observe("abortMultipart", () => objects.abortMultipart(handle)),
    listMultiparts: () => observe("listMultiparts", () => objects.listMultiparts()),
  };
}
