import { afterAll, expect, test } from "vitest";
import { errorBodySchema } from "#contract/errors.ts";
import { CALLS } from "#contract/registry.ts";
import { addressOf, nameOf } from "#service/testing/call-address.ts";
import type { TestRequest } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

async function refusalOf(
  method: string,
  path: string,
  request: TestRequest = {},
): Promise<{ status: number; allow: string | null }> {
  const response = await admin.send(method, path, request);
  const text = await response.text();
  const { error } = errorBodySchema.parse(JSON.parse(text));
  expect(error.message).toMatch(/^[A-Z].*[.?]$/);
  expect(text).not.toContain("Invalid input");
  expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d/);
  expect(text).not.toContain(admin.token);
  return { status: response.status, allow: response.headers.get("allow") };
}

const calls = CALLS.map((call) => ({ name: nameOf(call), call }));
const writes = calls.filter(({ call }) => call.method !== "GET");
const withBody = calls.filter(({ call }) => call.body !== undefined);

test.for(calls)("$name returns 405 and the allowed methods for other methods", async ({ call }) => {
  for (const method of ["PATCH", "PROPFIND", "UNLOCK"]) {
    const { status, allow } = await refusalOf(method, addressOf(call));
    expect(status).toBe(405);
    expect(allow?.split(", ")).toContain(call.method);
  }
  const head = await admin.send("HEAD", addressOf(call));
  expect(head.status).toBe(405);
  expect(await head.text()).toBe("");
});

test.for(withBody)("$name rejects invalid bodies", async ({ call }) => {
  const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
    "null",
    "[]",
    '"x"',
    "7",
    "{",
    "\ufeff{}",
    '{"a":1,"a":2}',
    '{"__proto__":{"isAdmin":true}}',
    '{"unknown":1}',
    '{"a":1e999}',
    '{"a":NaN}',
    `${"[".repeat(1_000)}${"]".repeat(1_000)}`,
    `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`,
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ];
  for (const rawBody of bodies)
    expect(await refusalOf(call.method, addressOf(call), { rawBody })).toMatchObject({
      status: 400,
    });
});

const needBody = withBody.filter(({ call }) => call.bodyOptional !== true);
test.for(needBody)("$name rejects an empty body", async ({ call }) => {
  expect(await refusalOf(call.method, addressOf(call), { rawBody: "" })).toMatchObject({
    status: 400,
  });
});

const withoutBody = writes.filter(({ call }) => call.body === undefined);
test.for(withoutBody)("$name rejects an unexpected body", async ({ call }) => {
  for (const rawBody of ['{"a":1}', "[]", "null", '"x"', '{"__proto__":{}}'])
    expect(await refusalOf(call.method, addressOf(call), { rawBody })).toMatchObject({
      status: 400,
    });
});

test.for(writes)(
  "$name rejects bodies of a wrong type and bodies that are too large",
  async ({ call }) => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=latin1",
      "application/jsonx",
    ]) {
      const request = { rawBody: '{"a":1}', headers: { "content-type": type } };
      expect((await refusalOf(call.method, addressOf(call), request)).status).toBe(415);
    }
    const untyped = { rawBody: new TextEncoder().encode("{}"), headers: { "content-type": "" } };
    expect((await refusalOf(call.method, addressOf(call), untyped)).status).toBe(415);
    const zipped = { rawBody: '{"a":1}', headers: { "content-encoding": "gzip" } };
    expect((await refusalOf(call.method, addressOf(call), zipped)).status).toBe(415);
    const largest = `{"a":"${"x".repeat(64 * 1024 - 8)}"}`;
    expect((await refusalOf(call.method, addressOf(call), { rawBody: largest })).status).toBe(400);
    for (const request of [
      { rawBody: `${largest} ` },
      { rawBody: inPieces(`${largest} `), headers: { "content-length": "2" } },
      { rawBody: "{}", headers: { "content-length": "65537" } },
    ])
      expect((await refusalOf(call.method, addressOf(call), request)).status).toBe(413);
  },
);

function inPieces(text: string): ReadableStream<Uint8Array> {
  const pieces = text.match(/.{1,16384}/g) ?? [];
  return ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
}

test("a GET request cannot be overridden by X-HTTP-Method-Override", async () => {
  const answer = await admin.call("GET", "/admin/uploads", {
    headers: { "x-http-method-override": "POST" },
  });
  expect(answer.status).toBe(200);
});
