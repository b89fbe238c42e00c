import { expect, test } from "vitest";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher } from "#service/secrets/secret-cipher.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { createWebhookGuard } from "#service/webhooks/webhook-address.ts";
import { createWebhookSender } from "#service/webhooks/webhook-sender.ts";
import { startReceiver } from "#stand-ins/receiver/server.ts";
import { guardConnections } from "./guarded-connection.ts";
import { createOutgoingFetch } from "./outgoing-fetch.ts";

test("the address that a name has when it connects is checked, not an earlier one", async () => {
  const receiver = await startReceiver();
  const world = await startTestService();
  const cipher = await createSecretCipher(createKeyring(world.settings), world.platform.random);
  const { host, port } = new URL(receiver.url);
  const rebound = `rebound.example:${port}`;
  const url = await cipher.encrypt(`http://${rebound}/a`, "1");
  const target = { id: "1", format: "apprise", url, secret: null } as const;

  /** Each name leads to this machine. */
  async function sendWith(listed: string) {
    const outgoing = createOutgoingFetch(
      guardConnections(createWebhookGuard([listed]), (_name, _options, found) =>
        found(null, [{ address: "127.0.0.1", family: 4 }]),
      ),
    );
    const platform = { ...world.platform, webhookFetch: outgoing.fetch };
    const event = { id: "e", type: "consent_changed", title: "One", body: "It." } as const;
    const attempt = await createWebhookSender({ ...world.context, platform }, cipher).send(
      { ...target, previous_secret: null, previous_until: null },
      { ...event, cause: null, subject: null, link: null, createdAt: 0, isTest: false },
      60_000,
    );
    await outgoing.close();
    return attempt.result;
  }

  expect(await sendWith(host)).toMatch(/leads to 127\.0\.0\.1, which is not public/);
  expect(await sendWith(rebound)).toMatch(/accepted/);
  await world.close();
  await receiver.close();
});
