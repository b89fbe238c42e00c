import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { webDigests } from "./digests.ts";
import { NO_SCHEDULER } from "./hosted-service.ts";
import { readWorkerSettings } from "./worker-settings.ts";
import { findPartTagAlgorithm } from "#hosts/ports/part-tag-probe.ts";
import { openR2Store } from "./r2-store.ts";
import { bindings } from "./testing/bindings.ts";

// The suites share an isolate; the others must not be told that their tags are digests.
beforeEach(() => vi.resetModules());
afterEach(() => vi.resetModules());

/** Part tags as in deployed R2, where they are digests; the emulator's are random. */
function withDigestsAsTags(bucket: R2Bucket): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      if (name !== "resumeMultipartUpload") return Reflect.get(target, name).bind(target);
      return (key: string, uploadId: string) => ({
        async uploadPart(partNumber: number, bytes: Uint8Array) {
          return { partNumber, etag: await webDigests.md5(bytes) };
        },
        abort: () => target.resumeMultipartUpload(key, uploadId).abort(),
      });
    },
  });
}

it("detects whether part tags are random or MD5, without leaving objects behind", async () => {
  const bucket = bindings.OBJECTS;
  expect(await findPartTagAlgorithm(openR2Store(bucket, "none"), webDigests)).toBe("none");
  const withDigests = openR2Store(withDigestsAsTags(bucket), "none");
  expect(await findPartTagAlgorithm(withDigests, webDigests)).toBe("md5");
  // Other suites may have left objects elsewhere.
  expect((await bucket.list({ prefix: "internal/" })).objects).toEqual([]);
});

it("stores opened earlier use the part tag algorithm once it is detected", async () => {
  const { learnPartTags } = await import("./part-tags.ts");
  const { openCloudflarePlatform } = await import("./platform.ts");
  const settings = readWorkerSettings(bindings);
  const host = openCloudflarePlatform(bindings, settings, { scheduler: NO_SCHEDULER });
  const { objects } = host.platform;
  expect(objects.partTagAlgorithm).toBe("none");
  await learnPartTags({ ...bindings, OBJECTS: withDigestsAsTags(bindings.OBJECTS) });
  expect(objects.partTagAlgorithm).toBe("md5");
  await host.close();
});
