import { createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher } from "#service/secrets/secret-cipher.ts";
import { startTestService, type TestService } from "#service/testing/test-service.ts";
import { createWebhookGuard } from "#service/webhooks/webhook-address.ts";
import { createWebhookSender } from "#service/webhooks/webhook-sender.ts";
import { listen } from "#stand-ins/listen.ts";
import { startReceiver } from "#stand-ins/receiver/server.ts";
import { guardConnections } from "./guarded-connection.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

let world: TestService;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
const other = createServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));

beforeEach(async () => {
  world = await startTestService();
  receiver = await startReceiver();
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

/** Each name leads to this machine, and only `listed` may. */
async function send(url: string, listed: string): Promise<string> {
  const outgoing = createOutgoingFetch(
    guardConnections(createWebhookGuard([listed]), (name, _options, found) =>
      name === "unknown.example"
        ? found(Object.assign(new Error(), { code: "ENOTFOUND" }), [])
        : found(null, [{ address: "127.0.0.1", family: 4 }]),
    ),
  );
  const cipher = await createSecretCipher(createKeyring(world.settings), world.platform.random);
  const platform = { ...world.platform, webhookFetch: outgoing.fetch };
  const target = { id: "1", format: "discord", url: await cipher.encrypt(url, "1") } as const;
  const event = { id: "e", type: "consent_changed", title: "One", body: "It." } as const;
  const attempt = await createWebhookSender({ ...world.context, platform }, cipher).send(
    { ...target, secret: null },
    { ...event, cause: null, subject: null, link: null, createdAt: 0, isTest: false },
    60_000,
  );
  await outgoing.close();
  return attempt.result;
}

test("the address that a name has when it connects is checked, not an earlier one", async () => {
  const { host, port } = new URL(receiver.url);
  const rebound = `rebound.example:${port}`;
  expect(await send(`http://${rebound}/`, host)).toMatch(
    /leads to 127\.0\.0\.1, which is not public/,
  );
  expect(await send(`http://${rebound}/`, rebound)).toMatch(/accepted/);
});

test("what is wrong with a connection is told in words", async () => {
  const { port } = new URL(receiver.url);
  const otherPort = await listen(other);
  for (const [scheme, host, words] of [
    ["https", `a.example:${port}`, /does not answer with TLS/],
    ["http", `a.example:${otherPort}`, /is not HTTP/],
    ["http", "a.example:1", /Nothing listens/],
    ["http", "unknown.example:1", /DNS does not know/],
  ] as const)
    expect(await send(`${scheme}://${host}/`, host)).toMatch(words);
  other.close();
});
