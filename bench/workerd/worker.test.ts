import { request } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { systemLogs } from "#contract/system.ts";
import { setPreferences } from "#contract/notifications.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { startTelegramStandIn, type TelegramStandIn } from "#stand-ins/telegram/server.ts";
import { openWorker, type OpenWorker } from "./open-worker.ts";

const ADMIN = "1001";

/** As in wrangler.jsonc, but for one retry: twenty of five seconds are too long to wait for. */
const IMPATIENT_QUEUES = {
  "vodkeep-vod-resume": {
    maxBatchSize: 1,
    maxBatchTimeout: 0,
    maxRetries: 1,
    deadLetterQueue: "vodkeep-vod-resume-dead",
  },
  "vodkeep-vod-resume-dead": { maxBatchSize: 10, maxBatchTimeout: 1 },
};

let worker: OpenWorker;
let telegram: TelegramStandIn;
let admin: TestClient;
beforeAll(async () => {
  telegram = await startTelegramStandIn();
  worker = await openWorker(
    {
      TELEGRAM_API_URL: telegram.url,
      TELEGRAM_BOT_TOKEN: telegram.botToken,
    },
    (options) => ({ ...options, queueConsumers: IMPATIENT_QUEUES }),
  );
  admin = await worker.signIn(ADMIN);
});
afterAll(async () => {
  await worker.close();
  await telegram.close();
});

it("serves the console with its headers, and 404 instead of a page for missing files", async () => {
  const page = await fetch(`${worker.url}/uploads?status=failed`);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const [script] = /\/assets\/[\w.-]+\.js/.exec(await page.text()) ?? [];
  const file = await fetch(`${worker.url}${script}`);
  expect(file.headers.get("cache-control")).toContain("immutable");
  await file.arrayBuffer();
  const absent = await fetch(`${worker.url}/assets/absent.js`);
  expect(absent.status).toBe(404);
  expect(await absent.text()).not.toContain("<html");
});

it("answers browser navigation to the API with JSON instead of a page", async () => {
  const answer = await fetch(`${worker.url}/admin/uploads`, {
    headers: { "sec-fetch-mode": "navigate", accept: "text/html" },
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("content-type")).toBe("application/json");
  await answer.arrayBuffer();
});

it("rejects a GET request with a body with 415", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asking = request(`${worker.url}/admin/auth/validate`, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  asking.once("error", reject);
  asking.setHeader("content-length", 4);
  asking.end("body");
  expect(await promise).toBe(415);
});

it("the scheduler object answers messages to the bot and sends notifications", async () => {
  const [dana] = telegram.people.list();
  if (dana === undefined) throw new Error("The stand-in knows nobody");
  const answers = () => dana.messages.filter(({ from }) => from === "bot").map(({ text }) => text);
  dana.hasStarted = true;
  telegram.people.write(dana, "/start");
  await vi.waitFor(() => expect(answers()).toHaveLength(1), { timeout: 180_000, interval: 200 });
  expect(answers()[0]).toContain(`Your Telegram user ID is ${dana.id}.`);
  // The object now long-polls for the next message and answers it without waiting for a beat.
  telegram.people.write(dana, "/myid");
  await vi.waitFor(() => expect(answers()).toHaveLength(2), { timeout: 180_000, interval: 200 });
  expect(answers()[1]).toBe(`[PREVIEW] Your Telegram user ID is ${dana.id}.`);

  const preferences = {
    telegramUserId: String(dana.id),
    enabledEvents: { upload_completed: ["telegram"] },
  };
  await admin.expect(setPreferences, undefined, { body: { preferences } });
  const vod = worker.twitch.control.addVod({ segmentCount: 1, segmentSizeBytes: 1_880 });
  await startArchive(admin, vod.id);
  await vi.waitFor(() => expect(answers()).toHaveLength(3), { timeout: 180_000, interval: 200 });
  expect(answers()[2]).toContain(vod.id);
});

it("logs an error for an unreadable queue message once it reaches the dead-letter queue", async () => {
  const queue = await worker.runtime.getQueueProducer("VOD_RESUME");
  await queue.send({ poison: true });
  await vi.waitFor(
    async () => {
      const { logs } = await admin.expect(systemLogs, `${systemLogs.path}?level=error`);
      expect(logs.map(({ message }) => message)).toContain("A wake-up was given up");
    },
    { timeout: 180_000, interval: 500 },
  );
});
