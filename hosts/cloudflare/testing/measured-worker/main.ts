import type { Bindings } from "../../bindings.ts";
import worker from "../../main.ts";

export { LiveHubObject, SchedulerObject } from "../../main.ts";

/**
 * The built Worker for measurements (bench/workerd). Its multipart uploads go to the measuring
 * program, whose part tags are MD5 digests as in R2. The emulator's tags are random, so that every
 * part would be read back, and its own CPU time would count as the Worker's.
 */
type MeasuredBindings = Bindings & { readonly PARTS: Fetcher };

export default {
  fetch: (request, bindings, ctx) => worker.fetch(request, measured(bindings), ctx),
  queue: (batch, bindings, ctx) => worker.queue(batch, measured(bindings), ctx),
  scheduled: (event, bindings) => worker.scheduled(event, measured(bindings)),
} satisfies ExportedHandler<MeasuredBindings>;

function measured(bindings: MeasuredBindings): Bindings {
  return { ...bindings, OBJECTS: withParts(bindings.OBJECTS, bindings.PARTS) };
}

function withParts(bucket: R2Bucket, parts: Fetcher): R2Bucket {
  async function ask(path: string, init?: RequestInit): Promise<R2Object> {
    const response = await parts.fetch(`https://parts/${path}`, init);
    return await response.json<R2Object>();
  }

  function upload(key: string, uploadId: string): R2MultipartUpload {
    return {
      key,
      uploadId,
      async uploadPart(partNumber, bytes) {
        if (!(bytes instanceof Uint8Array)) throw new TypeError("Parts are sent from buffers");
        const { etag } = await ask(`part/${partNumber}/${key}`, { method: "PUT", body: bytes });
        return { partNumber, etag };
      },
      complete: () => ask(`complete/${key}`, { method: "POST" }),
      abort: async () => void (await ask(`abort/${key}`, { method: "POST" })),
    };
  }

  return new Proxy(bucket, {
    get(target, name) {
      if (name === "createMultipartUpload")
        return async (key: string) => upload(key, crypto.randomUUID());
      if (name === "resumeMultipartUpload") return upload;
      if (name === "head")
        return async (key: string) => {
          const found = await ask(`head/${key}`);
          return found.size > 0 ? found : await target.head(key);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
