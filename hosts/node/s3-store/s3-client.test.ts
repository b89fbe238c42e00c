import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openScriptedS3, SCRIPTED_ADDRESS, SLOW_DOWN } from "../testing/scripted-s3.ts";

const KEY = objectKeySchema.parse("vods/1/2.ts");
const HANDLE = { key: KEY, multipartId: "abc" };

const NO_SUCH_KEY = "<Error><Code>NoSuchKey</Code></Error>";

describe("the S3 store", () => {
  it("sends a part with its MD5, and uses the unquoted ETag as its tag", async () => {
    const bytes = new TextEncoder().encode("hello");
    const { store, requests } = openScriptedS3([
      new Response(null, { headers: { etag: '"5d41402abc4b2a76b9719d911017c592"' } }),
    ]);
    expect(store.partTagAlgorithm).toBe("md5");
    expect(await store.uploadPart(HANDLE, 7, bytes)).toEqual({
      partNumber: 7,
      tag: hash("md5", bytes),
    });
    expect(requests[0]?.url).toBe("https://s3.test/vods/vods/1/2.ts?partNumber=7&uploadId=abc");
    expect(requests[0]?.headers.get("content-md5")).toBe("XUFAKrxLKna5cZ2REBfFkg==");
    expect(requests[0]?.headers.get("authorization")).toMatch(/^AWS4-HMAC-SHA256 .*content-md5/);
    expect(requests[0]?.headers.get("authorization")).not.toContain("very-secret");
  });

  it("retries server and network errors with increasing delays", async () => {
    const { store, requests, waitsMs } = openScriptedS3([
      new Response(SLOW_DOWN, { status: 503 }),
      new TypeError("fetch failed"),
      new Response("<Error><Code>InternalError</Code></Error>", { status: 500 }),
      new Response(NO_SUCH_KEY, { status: 404 }),
    ]);
    expect(await store.get(KEY)).toBeNull();
    expect(requests).toHaveLength(4);
    expect(waitsMs).toHaveLength(3);
    expect(waitsMs[2]).toBeGreaterThan(waitsMs[0] ?? 0);
  });

  it("fails as unavailable after four attempts", async () => {
    const { store, requests } = openScriptedS3([]);
    await expect(store.head(KEY)).rejects.toMatchObject({ kind: "unavailable" });
    expect(requests).toHaveLength(4);
  });

  it.each([
    [403, "AccessDenied", "denied"],
    [403, "SignatureDoesNotMatch", "denied"],
    [404, "NoSuchBucket", "denied"],
    [403, "InvalidAccessKeyId", "denied"],
    [403, "RequestTimeTooSkewed", "denied"],
    [401, "", "denied"],
    [403, "QuotaExceeded", "full"],
    [404, "NoSuchUpload", "no_such_upload"],
    [400, "InvalidPart", "bad_part"],
    [400, "EntityTooSmall", "bad_part"],
    [403, "InvalidObjectState", "cold"],
    [400, "KMS.DisabledException", "denied"],
    [403, "UserDisable", "denied"],
    [507, "XMinioStorageFull", "full"],
    [501, "NotImplemented", "unavailable"],
  ])("maps %i %s to %s without retrying", async (status, code, kind) => {
    const { store, requests } = openScriptedS3([
      new Response(`<Error><Code>${code}</Code></Error>`, { status }),
    ]);
    const failing = store.uploadPart(HANDLE, 1, new Uint8Array(3));
    await expect(failing).rejects.toMatchObject({ name: "StoreError", kind });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [400, "BadDigest"],
    [400, "IncompleteBody"],
    [400, "XAmzContentSHA256Mismatch"],
    [400, "MalformedXML"],
    [400, ""],
    [403, "RequestLimitExceeded"],
    [400, "KMS.ThrottlingException"],
    [409, "ConditionalRequestConflict"],
    [418, "Teapot"],
  ])("sends a part again after %i %s", async (status, code) => {
    const answer = () => new Response(`<Error><Code>${code}</Code></Error>`, { status });
    const { store } = openScriptedS3([
      answer(),
      new Response(null, { headers: { etag: hash("md5", "a") } }),
    ]);
    const stored = await store.uploadPart(HANDLE, 1, new TextEncoder().encode("a"));
    expect(stored).toMatchObject({ tag: hash("md5", "a") });
    const { store: refusing, requests } = openScriptedS3([answer(), answer(), answer(), answer()]);
    await expect(refusing.uploadPart(HANDLE, 1, new Uint8Array(3))).rejects.toMatchObject({
      kind: "unavailable",
      message: `Writing a part: ${status} ${code}`.trim(),
    });
    expect(requests).toHaveLength(4);
  });

  it.each([
    [403, "InvalidObjectState", "cold", /cold storage/],
    [403, "SecondLevelDomainForbidden", "denied", /host name/],
    [400, "KMS.NotFoundException", "denied", /KMS key/],
    [
      403,
      "AccessDenied</Code><Message>… because object protected by object lock.</Message><Code>",
      "denied",
      /Object Lock/,
    ],
    [403, "UserDisable</Code><Message>Unpaid.</Message><Code>", "denied", /Unpaid\./],
  ])("does not blame the key for %i %s", async (status, code, kind, expected) => {
    const { store } = openScriptedS3([
      new Response(`<Error><Code>${code}</Code></Error>`, { status }),
    ]);
    const error: unknown = await store.delete(KEY).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind, message: expect.stringMatching(expected) });
    expect(String(error)).not.toContain("S3_ACCESS_KEY_ID");
  });

  it.each([
    [403, "QuotaExceeded", "The bucket's quota is used up."],
    [403, "XMinioAdminBucketQuotaExceeded", "The bucket's quota is used up."],
    [507, "XMinioStorageFull", "The object store is full."],
  ])("reports a full store in one sentence (%i %s)", async (status, code, message) => {
    const { store } = openScriptedS3([
      new Response(`<Error><Code>${code}</Code></Error>`, { status }),
    ]);
    const failing = store.uploadPart(HANDLE, 1, new Uint8Array(3));
    await expect(failing).rejects.toMatchObject({ kind: "full", message });
  });

  it("omits the status if there is no response", async () => {
    const refused = new TypeError("fetch failed", {
      cause: new Error("connect ECONNREFUSED 127.0.0.1:9000"),
    });
    const { store } = openScriptedS3([refused, refused, refused, refused]);
    await expect(store.head(KEY)).rejects.toMatchObject({
      kind: "unavailable",
      message: "Looking up an object: connect ECONNREFUSED 127.0.0.1:9000",
    });
  });

  it.each([
    [403, "InvalidAccessKeyId", "", /S3_ACCESS_KEY_ID/],
    [403, "SignatureDoesNotMatch", "", /S3_SECRET_ACCESS_KEY/],
    [403, "RequestTimeTooSkewed", "", /clock/],
    [404, "NoSuchBucket", "", /OBJECT_STORE/],
    [301, "PermanentRedirect", "", /region in OBJECT_STORE \(/],
    [400, "AuthorizationHeaderMalformed", "<Region>eu-1</Region>", /OBJECT_STORE to eu-1 \(400/],
  ])("names the setting to fix for %i %s", async (status, code, rest, expected) => {
    const { store } = openScriptedS3([
      new Response(`<Error><Code>${code}</Code>${rest}</Error>`, { status }),
    ]);
    await expect(store.get(KEY)).rejects.toMatchObject({
      kind: "denied",
      message: expect.stringMatching(expected),
    });
  });

  it("does not retry after a response timeout, and reports it", async () => {
    const silence = new TypeError("fetch failed", {
      cause: Object.assign(new Error("Headers Timeout Error"), { code: "UND_ERR_HEADERS_TIMEOUT" }),
    });
    const { store, requests } = openScriptedS3([silence]);
    await expect(store.head(KEY)).rejects.toMatchObject({
      kind: "unavailable",
      message: "Looking up an object: Headers Timeout Error",
    });
    expect(requests).toHaveLength(1);
  });

  it("requests and lists only keys under its prefix", async () => {
    const prefixed = { ...SCRIPTED_ADDRESS, prefix: "team/a/" };
    const { store, requests } = openScriptedS3(
      [
        new Response(
          `<ListBucketResult><Contents><Key>team/a/vods/1/2.ts</Key><Size>3</Size></Contents><Contents><Key>team/a/vods/a b.ts</Key></Contents></ListBucketResult>`,
        ),
        uploadsPage(`${uploadXml("a", "team/a/vods/1/2.ts")}${uploadXml("b")}`),
        new Response(null, { headers: { etag: '"a"', "content-length": "3" } }),
      ],
      prefixed,
    );
    expect(await store.list({ prefix: "vods/" })).toMatchObject({
      objects: [{ key: KEY }],
      foreignKeys: 1,
    });
    expect(await store.listMultiparts()).toMatchObject([{ key: KEY, multipartId: "a" }]);
    await store.head(KEY);
    expect(requests.map(({ url }) => new URL(url).searchParams.get("prefix"))).toEqual([
      "team/a/vods/",
      "team/a/",
      null,
    ]);
    expect(new URL(requests[2]?.url ?? "").pathname).toBe("/vods/team/a/vods/1/2.ts");
    expect(store.name).toBe("s3://vods/team/a");
  });

  it("distinguishes a missing bucket from a missing object", async () => {
    const { store } = openScriptedS3([
      new Response("<Error><Code>NoSuchBucket</Code></Error>", { status: 404 }),
      new Response(NO_SUCH_KEY, { status: 404 }),
    ]);
    await expect(store.get(KEY)).rejects.toMatchObject({ kind: "denied" });
    expect(await store.get(KEY)).toBeNull();
  });

  it.each([404, 408])("waits for the store when a proxy answers %i for it", async (status) => {
    const { store, requests } = openScriptedS3(
      Array.from({ length: 8 }, () => new Response("page not found", { status })),
    );
    const failing = store.uploadPart(HANDLE, 1, new Uint8Array(3));
    await expect(failing).rejects.toMatchObject({ kind: "unavailable" });
    expect(requests).toHaveLength(4);
    await expect(store.get(KEY)).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("does not take a proxy's page for an object", async () => {
    const { store } = openScriptedS3([
      new Response("<html></html>"),
      new Response("<html></html>"),
    ]);
    await expect(store.head(KEY)).rejects.toMatchObject({ kind: "unavailable" });
    await expect(store.get(KEY)).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("detects an error in the 200 response of a completion", async () => {
    const { store } = openScriptedS3([
      new Response(`<?xml version="1.0"?>\n\n  <Error><Code>InternalError</Code></Error>`),
    ]);
    const failing = store.completeMultipart(HANDLE, [{ partNumber: 1, tag: "a" }]);
    await expect(failing).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("lists unfinished uploads page by page, and returns null if unsupported", async () => {
    const { store, requests } = openScriptedS3([
      uploadsPage(
        `${uploadXml("a&amp;b")}<IsTruncated>true</IsTruncated><NextKeyMarker>vods/1/2.ts</NextKeyMarker><NextUploadIdMarker>a</NextUploadIdMarker>`,
      ),
      uploadsPage(`${uploadXml("c")}<IsTruncated>false</IsTruncated>`),
      new Response("<Error><Code>NotImplemented</Code></Error>", { status: 501 }),
    ]);
    const startedAt = new Date("2026-11-20T10:00:00Z");
    expect(await store.listMultiparts()).toEqual([
      { key: KEY, multipartId: "a&b", startedAt },
      { key: KEY, multipartId: "c", startedAt },
    ]);
    expect(requests[1]?.url).toContain("key-marker=vods%2F1%2F2.ts&upload-id-marker=a");
    expect(await store.listMultiparts()).toBeNull();
  });

  it("rejects a whole object in response to a range request", async () => {
    const { store } = openScriptedS3([new Response("0123456789", { status: 200 })]);
    const failing = store.get(KEY, { offset: 2, length: 2 });
    await expect(failing).rejects.toMatchObject({ kind: "unavailable" });
  });
});

function uploadXml(id: string, key = "vods/1/2.ts"): string {
  return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-11-20T10:00:00Z</Initiated></Upload>`;
}

function uploadsPage(inner: string): Response {
  return new Response(`<ListMultipartUploadsResult>${inner}</ListMultipartUploadsResult>`);
}
