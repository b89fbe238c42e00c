import { afterEach, beforeEach, expect, test } from "vitest";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { readSettings } from "#service/settings.ts";
import { createLogger } from "#service/logger.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { startTelegramStandIn, type TelegramStandIn } from "#stand-ins/telegram/server.ts";
import { createTelegramApi } from "./telegram-api.ts";
import { createTelegramBot } from "./telegram-bot.ts";

let telegram: TelegramStandIn;
const outgoing = createOutgoingFetch();
const never = new AbortController().signal;

beforeEach(async () => {
  telegram = await startTelegramStandIn();
});

afterEach(() => telegram.close());

function startBot(waitSec = 0) {
  const settings = readSettings({
    TELEGRAM_API_URL: telegram.url,
    TELEGRAM_BOT_TOKEN: telegram.botToken,
  });
  const platform = { fetch: outgoing.fetch };
  const api = createTelegramApi({ platform, settings });
  if (api === null) throw new Error("The settings name a bot");
  const log = createLogger(systemClock, { write: () => undefined });
  return createTelegramBot(api, { prefix: "[PREVIEW]", waitSec, log });
}

/** Performs a user's action on the stand-in's page. */
async function act(action: string, form: Record<string, string> = {}): Promise<void> {
  const [person] = telegram.people.list();
  await fetch(`${telegram.url}/people/${person?.id}/${action}`, {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
  });
}

function answers(): string[] {
  const [person] = telegram.people.list();
  return (person?.messages ?? []).filter(({ from }) => from === "bot").map(({ text }) => text);
}

test("answers Start and /myid once each with the user's numeric id", async () => {
  const bot = startBot();
  await act("start");
  await act("say", { text: "/myid" });
  await bot(never);
  await bot(never);
  expect(answers()).toEqual([
    expect.stringMatching(/^\[PREVIEW\] Hello! Your Telegram user ID is 7000000001\./),
    "[PREVIEW] Your Telegram user ID is 7000000001.",
  ]);
});

test("accepts commands in capitals and with the bot's name, and answers other text with a hint", async () => {
  const bot = startBot();
  await act("say", { text: "  /MYID@vodkeep_bot please" });
  await act("say", { text: "hello" });
  await bot(never);
  expect(answers()[0]).toContain("7000000001");
  expect(answers()[1]).toContain("/myid");
});

test("a polling bot answers new messages immediately and ends when it is aborted", async () => {
  const bot = startBot(30);
  const stopping = new AbortController();
  const waiting = bot(stopping.signal);
  await act("say", { text: "/myid" });
  await expect.poll(() => answers()).toHaveLength(1);
  stopping.abort();
  await expect(waiting).rejects.toThrow("Telegram is not responding.");
});

test("a user who blocked the bot does not prevent answers to others", async () => {
  const bot = startBot();
  await act("start");
  await act("block");
  const [, robin] = telegram.people.list();
  if (robin === undefined) throw new Error("There is no second person");
  robin.hasStarted = true;
  telegram.people.write(robin, "/myid");
  await bot(never);
  expect(robin.messages.at(-1)?.text).toContain(String(robin.id));
});
