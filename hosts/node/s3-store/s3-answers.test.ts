import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { openScriptedS3, SCRIPTED_ADDRESS } from "../testing/scripted-s3.ts";
import { createS3Client } from "./s3-client.ts";

/** Answers that are not the store's, or not to be believed. */
const KEY = objectKeySchema.parse("vods/1/2.ts");
const HANDLE = { key: KEY, multipartId: "abc" };
const TYPE = { contentType: "text/plain" };

it.each<[string, (store: ObjectStore) => Promise<unknown>]>([
  ["listing objects", (store) => store.list({})],
  ["listing uploads", (store) => store.listMultiparts()],
  ["starting an upload", (store) => store.createMultipart(KEY, TYPE)],
  ["writing a part", (store) => store.uploadPart(HANDLE, 1, new Uint8Array(3))],
  ["completing", (store) => store.completeMultipart(HANDLE, [{ partNumber: 1, tag: "a" }])],
  ["aborting", (store) => store.abortMultipart(HANDLE)],
  ["writing an object", (store) => store.put(KEY, new Uint8Array(3), TYPE)],
  ["looking up", (store) => store.head(KEY)],
  ["reading", (store) => store.get(KEY)],
  ["deleting", (store) => store.delete(KEY)],
])("takes a web page for no answer of the store when %s", async (_, call) => {
  for (const status of [200, 404]) {
    const { store } = openScriptedS3(
      Array.from({ length: 4 }, () => new Response("<html>Please log in</html>", { status })),
    );
    await expect(call(store)).rejects.toMatchObject({ kind: "unavailable" });
  }
});

it("ends a listing that does not advance, and an answer without an end", async () => {
  const { store, requests } = openScriptedS3([listPage("a"), listPage("a"), listPage("")]);
  const { cursor } = await store.list({});
  const away = { kind: "unavailable", message: expect.stringContaining("does not advance") };
  await expect(store.list({ cursor: cursor ?? "" })).rejects.toMatchObject(away);
  expect(requests[1]?.url).toContain("start-after=a");
  await expect(store.list({})).rejects.toMatchObject(away);

  const more = "<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>";
  const { store: uploads } = openScriptedS3([uploadsPage(more), uploadsPage(more)]);
  await expect(uploads.listMultiparts()).rejects.toMatchObject(away);

  const { store: flooding } = openScriptedS3([endless(), endless(), endless(), endless()]);
  await expect(flooding.list({})).rejects.toMatchObject({ kind: "unavailable" });
});

it("limits the time for a body, too", async () => {
  const { promise: isReading, resolve: read } = Promise.withResolvers<void>();
  const client = createS3Client({
    address: { ...SCRIPTED_ADDRESS, endpoint: "https://s3.test", region: "auto" },
    credentials: { accessKeyId: "AKIA", secretAccessKey: "very-secret" },
    clock: {
      ...systemClock,
      sleep: (_, signal) => (signal === undefined ? Promise.resolve() : isReading),
    },
    random: systemRandom,
    fetch: (_, init) => {
      const silent = new ReadableStream({
        start: (body) =>
          init?.signal?.addEventListener("abort", () => body.error(init.signal?.reason)),
        pull: () => read(),
      });
      return Promise.resolve(new Response(silent));
    },
  });
  const listing = client.read({ doing: "Listing objects", method: "GET", key: null });
  await expect(listing).rejects.toMatchObject({
    kind: "unavailable",
    message: "Listing objects: No response within 15 s",
  });
});

it("finds out whether tags are digests by a known part when one is not", async () => {
  const { store, requests } = openScriptedS3([
    tagged(null),
    probeBegins(),
    tagged(null),
    probeEnds(),
    tagged(null),
  ]);
  const bytes = new TextEncoder().encode("a");
  expect(await store.uploadPart(HANDLE, 1, bytes)).toMatchObject({ tag: "o" });
  expect(store.partTagAlgorithm).toBe("none");
  await store.uploadPart(HANDLE, 2, bytes);
  expect(requests).toHaveLength(5);
});

it.each([
  ["fewer bytes", { etag: hash("md5", "bytes"), "content-length": "0" }],
  ["other bytes", { etag: hash("md5", "seteb"), "content-length": "5" }],
])("finds that a small object was stored with %s", async (_, headers) => {
  const probed = hash("md5", "Which digest is this part's tag?");
  const { store } = openScriptedS3([
    new Response(null, { headers: { etag: hash("md5", "bytes") } }),
    new Response(null, { headers }),
    probeBegins(),
    new Response(null, { headers: { etag: probed } }),
    probeEnds(),
  ]);
  const putting = store.put(KEY, new TextEncoder().encode("bytes"), TYPE);
  await expect(putting).rejects.toThrow("The store holds different bytes than were sent");
});

it("does not take an object without a size for an empty one", async () => {
  const { store } = openScriptedS3([
    new Response(null, { headers: { etag: '"o"' } }),
    new Response("<ListBucketResult><Contents><Key>vods/1</Key></Contents></ListBucketResult>"),
    new Response(null, { headers: { etag: 'W/"o"', "content-length": "0" } }),
  ]);
  await expect(store.head(KEY)).rejects.toMatchObject({ kind: "unavailable" });
  await expect(store.list({})).rejects.toMatchObject({ kind: "unavailable" });
  expect(await store.head(KEY)).toMatchObject({ sizeBytes: 0, tag: "o" });
});

it("reads a small object back where tags prove nothing", async () => {
  const answers = [tagged(null), tagged(null), probeBegins(), tagged(null), probeEnds()];
  const { store } = openScriptedS3([
    ...answers,
    tagged("bytes"),
    tagged(null),
    tagged(null),
    tagged("seteb"),
  ]);
  const bytes = new TextEncoder().encode("bytes");
  expect(await store.put(KEY, bytes, TYPE)).toMatchObject({ tag: "o", sizeBytes: 5 });
  await expect(store.put(KEY, bytes, TYPE)).rejects.toMatchObject({ kind: "unavailable" });
});

it("repeats neither keys nor floods of text that the store sends", async () => {
  const said = `very-secret AKIA ${"x".repeat(2_000_000)}`;
  const { store } = openScriptedS3([
    new Response(`<Error><Code>Odd</Code><Message>${said}</Message></Error>`, { status: 403 }),
  ]);
  const error: unknown = await store.get(KEY).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(
    /^StoreError: Reading an object: \[masked\] \[masked\] x+… \(403 Odd\)$/,
  );
  expect(String(error).length).toBeLessThan(260);
});

/** Answers to the beginning and the end of a probe of the bucket's tags. */
function probeBegins(): Response {
  return new Response(
    "<InitiateMultipartUploadResult><UploadId>p</UploadId></InitiateMultipartUploadResult>",
  );
}
function probeEnds(): Response {
  return new Response(null, { status: 204 });
}

function tagged(body: string | null): Response {
  return new Response(body, { headers: { etag: '"o"', "content-length": "5" } });
}

/** A page that is not the last, with one object or none. */
function listPage(key: string): Response {
  const object = `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
  return new Response(
    `<ListBucketResult>${key === "" ? "" : object}<IsTruncated>true</IsTruncated></ListBucketResult>`,
  );
}

function endless(): Response {
  return new Response(
    new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 ** 2)) }),
  );
}

function uploadsPage(inner: string): Response {
  return new Response(`<ListMultipartUploadsResult>${inner}</ListMultipartUploadsResult>`);
}
