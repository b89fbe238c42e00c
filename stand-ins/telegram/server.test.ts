import { afterEach, beforeEach, expect, test } from "vitest";
import { startTelegramStandIn, type TelegramStandIn } from "./server.ts";

let telegram: TelegramStandIn;

beforeEach(async () => {
  telegram = await startTelegramStandIn({ host: "127.0.0.1", port: 0 });
});

afterEach(() => telegram.close());

async function call(method: string, parameters: unknown, token = telegram.botToken) {
  const response = await fetch(`${telegram.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function press(path: string, form: Record<string, string> = {}) {
  const body = new URLSearchParams(form);
  await fetch(telegram.url + path, { method: "POST", body, redirect: "manual" });
}

const toDana = { chat_id: 7_000_000_001, text: "Hello" };

test("a bot may write only to people who have pressed Start and have not blocked it", async () => {
  expect(await call("sendMessage", toDana)).toMatchObject({
    status: 403,
    body: { ok: false, description: "Forbidden: bot can't initiate conversation with a user" },
  });
  await press("/people/7000000001/start");
  expect((await call("sendMessage", toDana)).body).toMatchObject({ ok: true });
  await press("/people/7000000001/block");
  expect((await call("sendMessage", toDana)).body.description).toContain("blocked");
  expect((await call("sendMessage", { chat_id: 5, text: "x" })).body.description).toBe(
    "Bad Request: chat not found",
  );
});

test("a wrong token is unauthorized, and empty or endless texts are refused", async () => {
  expect((await call("getMe", {}, "1:wrong")).status).toBe(401);
  await press("/people/7000000001/start");
  expect((await call("sendMessage", { ...toDana, text: " " })).status).toBe(400);
  expect((await call("sendMessage", { ...toDana, text: "x".repeat(4_097) })).status).toBe(400);
});

test("updates come again until later ones are asked for", async () => {
  await press("/people/7000000001/say", { text: "/myid" });
  const first = await call("getUpdates", { offset: 0 });
  expect(first.body.result).toMatchObject([
    { message: { text: "/myid", from: { id: 7_000_000_001 } } },
  ]);
  expect(await call("getUpdates", { offset: 0 })).toEqual(first);
  const offset = first.body.result[0].update_id + 1;
  expect((await call("getUpdates", { offset })).body.result).toEqual([]);
});

test("a second poll ends the first with a conflict", async () => {
  const first = call("getUpdates", { offset: 0, timeout: 30 });
  await expect.poll(() => call("getUpdates", { offset: 0 }).then(({ status }) => status)).toBe(200);
  expect((await first).status).toBe(409);
});
