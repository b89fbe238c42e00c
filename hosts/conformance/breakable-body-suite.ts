import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { MakeBreakable } from "#service/ports/breakable-body.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";

const KEY = objectKeySchema.parse("vods/1/2/breakable.ts");

/** More than a host buffers for a reader that does not read. */
const SIZE_BYTES = 4 * 1024 * 1024;

/** Tests bodies from `objects`, wrapped by the same host's `breakable`. */
export function describeBreakable(
  name: string,
  breakable: MakeBreakable,
  openStore: () => Promise<{ objects: ObjectStore; close(): Promise<void> }>,
): void {
  function openBody(source: ReadableStream<Uint8Array>) {
    const breaking = new AbortController();
    const { body, ended } = breakable(source, SIZE_BYTES, breaking.signal);
    return { reader: body.getReader(), ended, breaking };
  }

  describe(`${name} that can be aborted`, () => {
    let store: Awaited<ReturnType<typeof openStore>>;
    beforeAll(async () => {
      store = await openStore();
      await store.objects.put(KEY, new Uint8Array(SIZE_BYTES).fill(7), {
        contentType: "video/mp2t",
      });
    });

    afterAll(() => store.close());

    async function open() {
      const found = await store.objects.get(KEY);
      if (found === null) throw new Error("The object is not there");
      return openBody(found.body);
    }

    it("is complete unless it is aborted", async () => {
      const { reader, ended, breaking } = await open();
      expect(await readOn(reader)).toBe(SIZE_BYTES);
      await ended;
      breaking.abort(new Error("too late"));
      expect(await reader.read()).toMatchObject({ done: true });
    });

    it("can be aborted between two reads", async () => {
      const { reader, ended, breaking } = await open();
      await reader.read();
      breaking.abort(new Error("no longer allowed"));
      await ended;
      await expect(readOn(reader)).rejects.toBeInstanceOf(Error);
    });

    it("can be aborted during a pending read", async () => {
      const { promise: never } = Promise.withResolvers<void>();
      const { reader, ended, breaking } = openBody(new ReadableStream({ pull: () => never }));
      const read = reader.read();
      breaking.abort(new Error("no longer allowed"));
      await expect(read).rejects.toBeInstanceOf(Error);
      await ended;
    });

    it("can be aborted before the first read", async () => {
      const { reader, ended, breaking } = await open();
      breaking.abort(new Error("no longer allowed"));
      await ended;
      await expect(readOn(reader)).rejects.toBeInstanceOf(Error);
    });

    it("ends when its reader cancels", async () => {
      const { reader, ended, breaking } = await open();
      await reader.read();
      await reader.cancel("gone");
      await ended;
      breaking.abort(new Error("too late"));
      expect(await reader.read()).toMatchObject({ done: true });
    });

    it("fails when its source fails", async () => {
      const { reader, ended } = openBody(
        new ReadableStream({
          pull() {
            throw new Error("The disk is gone");
          },
        }),
      );
      await expect(readOn(reader)).rejects.toBeInstanceOf(Error);
      await expect(ended).resolves.toBeUndefined();
    });
  });
}

async function readOn(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  let count = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return count;
    for (const byte of value) if (byte === 7) count += 1;
  }
}
