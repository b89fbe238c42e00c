import { expect, test } from "vitest";
import * as z from "zod/mini";
import { defineCall, type AnyCall } from "#contract/call.ts";
import { MAX_BODY_BYTES } from "#contract/limits.ts";
import { CALLS } from "#contract/registry.ts";
import { readJsonBody } from "./request-body.ts";

const CALL = { method: "POST", path: "/admin/x", policy: "public", summary: "" } as const;
const WITHOUT_BODY = defineCall({ ...CALL, data: z.object({}) });
const WITH_BODY = defineCall({ ...CALL, body: z.looseObject({}), data: z.object({}) });
const OPTIONAL = { ...WITH_BODY, bodyOptional: true };

const LARGEST = "7".padEnd(MAX_BODY_BYTES);
const TOO_LARGE = `${LARGEST} `;

function read(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  call: AnyCall = WITH_BODY,
  headers: Record<string, string> = {},
) {
  const type = { "content-type": "application/json" };
  const init = { method: "POST", body, headers: { ...type, ...headers }, duplex: "half" } as const;
  return readJsonBody(new Request("http://localhost", init), call);
}

test.for([
  ["no body", "", WITH_BODY, {}, "invalid_request"],
  ["a body for a call without one", '{"a":1}', WITHOUT_BODY, {}, "invalid_request"],
  ["a list for a call without a body", "[]", WITHOUT_BODY, {}, "invalid_request"],
  ["no JSON", "{", WITH_BODY, {}, "invalid_request"],
  ["a byte order mark", "\ufeff{}", WITH_BODY, {}, "invalid_request"],
  ["no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), WITH_BODY, {}, "invalid_request"],
  ["another type", "{}", WITH_BODY, { "content-type": "text/plain" }, "unsupported_media_type"],
  ["no type", "{}", WITH_BODY, { "content-type": "" }, "unsupported_media_type"],
  [
    "another character set",
    "{}",
    WITH_BODY,
    { "content-type": "application/json; charset=latin1" },
    "unsupported_media_type",
  ],
  [
    "a similar type",
    "{}",
    WITH_BODY,
    { "content-type": "application/jsonx" },
    "unsupported_media_type",
  ],
  ["compression", "{}", WITH_BODY, { "content-encoding": "gzip" }, "unsupported_media_type"],
  ["too many bytes", TOO_LARGE, WITH_BODY, {}, "too_large"],
  ["more bytes than announced", TOO_LARGE, WITH_BODY, { "content-length": "2" }, "too_large"],
  ["too many announced bytes", "{}", WITH_BODY, { "content-length": "65537" }, "too_large"],
] as const)("rejects %s", async ([, body, call, headers, code]) => {
  await expect(read(body, call, headers)).rejects.toMatchObject({ code });
});

test("rejects a body that breaks off, as when its sender disconnects", async () => {
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new Error("aborted")),
  });
  await expect(read(broken)).rejects.toMatchObject({ code: "invalid_request" });
});

test("reads JSON up to the largest size, and allows {} where no body is needed", async () => {
  expect(await read(LARGEST)).toBe(7);
  const type = { "content-type": 'application/json; charset="UTF-8"' };
  expect(await read('{"a":1}', OPTIONAL, type)).toEqual({ a: 1 });
  expect(await read("", OPTIONAL)).toBeUndefined();
  expect(await read("{}", WITHOUT_BODY)).toBeUndefined();
});

test.for(CALLS.flatMap(({ path, body }) => (body === undefined ? [] : [{ path, body }])))(
  "$path rejects unknown fields of its body",
  ({ body }) => {
    const { error } = z.safeParse(body, { unknown: 1 });
    expect(JSON.stringify(error?.issues)).toContain("unrecognized_keys");
  },
);
