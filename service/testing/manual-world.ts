import { userIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { ManualUploads } from "#service/manual-uploads/manual-uploads.ts";
import { appendBytes } from "#service/manual-uploads/tus/append.ts";
import { startManualUpload } from "#service/manual-uploads/tus/create.ts";
import { findManualUpload } from "#service/manual-uploads/upload.ts";
import type { Runtime } from "#service/platform.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { openArchiveWorld } from "./archive-world.ts";

export const MIB = 1024 * 1024;

/** Manual uploads of user 7, whose bytes arrive without HTTP. */
export async function openManualWorld() {
  const world = await openArchiveWorld();
  const { context } = world;
  await context.platform.database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'sender', 'Sender', 1)`,
  );

  async function find(id: string) {
    const upload = await findManualUpload(context.platform.database, id);
    if (upload === null) throw new Error(`There is no upload ${id}`);
    return upload;
  }

  async function start(length: number, filename = "film.mp4", by = context) {
    const upload = await startManualUpload(
      by,
      { length, metadata: { header: null, filename } },
      { actorId: userIdSchema.parse("7"), requestId: "test" },
    );
    return upload.id;
  }

  async function append(
    manual: ManualUploads,
    id: string,
    offset: number,
    bytes: Uint8Array<ArrayBuffer>,
    options: { cutAfter?: number; sha1?: string } = {},
  ): Promise<number> {
    const appended = await appendBytes(manual, await find(id), {
      senderId: "7",
      offset,
      sizeBytes: bytes.length,
      stream: bodyOf(bytes, options.cutAfter),
      checksum: options.sha1 === undefined ? null : { algorithm: "sha1", digest: options.sha1 },
      signal: new AbortController().signal,
    });
    return appended.offset;
  }

  async function digestOf(id: string): Promise<string> {
    const { fileKey } = await world.upload(id);
    return (await world.storedDigest(fileKey ?? "")).sha256;
  }

  /** The upload's objects in the store after the planned removals were carried out. */
  async function leftInStore(id: string): Promise<string[]> {
    await carryOutRemovals(context);
    const { keys } = await world.storeContents();
    return keys.filter((key) => key.includes(id));
  }

  /** A context `ms` later, with a different store or different limits of the host. */
  function ahead(
    ms: number,
    {
      objects = context.platform.objects,
      ...runtime
    }: Partial<Runtime> & { objects?: ObjectStore } = {},
  ): ServiceContext {
    const { platform } = context;
    const { clock } = platform;
    return {
      ...context,
      platform: {
        ...platform,
        objects,
        runtime: { ...platform.runtime, ...runtime },
        clock: { ...clock, now: () => clock.now() + ms },
      },
    };
  }

  return { ...world, ahead, append, digestOf, find, leftInStore, start };
}

/** A body in chunks; after `cutAfter` bytes the connection breaks. */
function bodyOf(bytes: Uint8Array<ArrayBuffer>, cutAfter = Infinity): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= cutAfter) controller.error(new Error("connection reset"));
      else if (at >= bytes.length) controller.close();
      else {
        const end = Math.min(at + 700_000, bytes.length, cutAfter);
        controller.enqueue(new Uint8Array(bytes.subarray(at, end)));
        at = end;
      }
    },
  });
}
