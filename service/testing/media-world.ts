import { expect } from "vitest";
import * as calls from "#contract/files.ts";
import type { Upload } from "#contract/upload.ts";
import { uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";
import { startArchive } from "./start-archive.ts";
import type { TestClient } from "./test-client.ts";
import { ADMIN, startTestService } from "./test-service.ts";

/** The store fails for this key. */
export const UNANSWERED_KEY = "vods/1/2/unanswered.ts";

async function nothing(): Promise<void> {}

export function fileAt(path: string, query = ""): string {
  return `/admin/r2/file/${path}${query}`;
}

/** A service with an archived VOD of one minute, which reads its files with and without a session. */
export async function openMediaWorld() {
  /** Runs once, between a call of head and the next one. */
  let meanwhile: () => Promise<unknown> = nothing;
  let lastBody: ReadableStream<Uint8Array> | undefined;
  const vodkeep = await startTestService({
    starts: true,
    changePlatform: (platform) => ({
      ...platform,
      objects: {
        ...platform.objects,
        head: async (wanted) => {
          if (wanted === UNANSWERED_KEY) throw new Error("The store is away");
          const found = await platform.objects.head(wanted);
          const happens = meanwhile;
          meanwhile = nothing;
          await happens();
          return found;
        },
        get: async (...wanted) => {
          const found = await platform.objects.get(...wanted);
          lastBody = found?.body;
          return found;
        },
      },
    }),
  });
  const admin = await vodkeep.signIn(ADMIN);
  async function archive(vodId: string, ends: Upload["status"] = "completed"): Promise<Upload> {
    const started = Promise.withResolvers<Upload>();
    const finished = Promise.withResolvers<Upload>();
    const { unsubscribe } = await vodkeep.platform.hub.subscribe(
      UPLOADS_TOPIC,
      null,
      ({ data }) => {
        const message = uploadStreamMessageSchema.parse(JSON.parse(data));
        if (message.type === "upload_update" && /completed|failed/.test(message.upload.status))
          void note(message.upload);
      },
    );
    /** Earlier archives are published again when their chats end. */
    async function note(ended: Upload): Promise<void> {
      if (ended.id === (await started.promise).id) finished.resolve(ended);
    }
    started.resolve(await startArchive(admin, vodId));
    const upload = await finished.promise;
    unsubscribe();
    expect(upload.status).toBe(ends);
    return upload;
  }
  const key = (await archive("2000000002")).fileKey ?? "";

  /** Requests media without a session, because the grant is in the address. */
  function get(address: string | undefined, headers: Record<string, string> = {}, method = "GET") {
    return vodkeep.visitor().send(method, address ?? "", { headers: { origin: "", ...headers } });
  }

  return {
    ...vodkeep,
    admin,
    /** Of the archive. */
    key,
    archive,
    get,
    /** The body of the object that was read last. */
    lastBody: () => lastBody,
    betweenReads(happens: typeof meanwhile): void {
      meanwhile = happens;
    },
    async details(client: TestClient = admin): Promise<calls.StoredFile> {
      return await client.expect(calls.getFile, fileAt(key, "?download=true"));
    },
    async statusOf(...request: Parameters<typeof get>): Promise<number> {
      const response = await get(...request);
      await response.body?.cancel();
      return response.status;
    },
  };
}

export async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}
