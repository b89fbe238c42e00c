import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type HonoRequest } from "hono";
import { serve } from "../serve.ts";
import { createBotMethods, refusal, type Bot, type BotAnswer } from "./bot-methods.ts";
import { chatPage, messagesPage } from "./chat-page.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createPeople, type People, type Person } from "./people.ts";

/** A received call of the Bot API. */
export type LedgerEntry = {
  readonly at: number;
  readonly method: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly status: number;
};

export type TelegramStandIn = {
  /** Base URL for TELEGRAM_API_URL, and of the chat page. */
  readonly url: string;
  readonly botToken: string;
  readonly botName: string;
  readonly people: People;
  readonly ledger: readonly LedgerEntry[];
  addFault(fault: Fault): void;
  clearFaults(): void;
  close(): Promise<void>;
};

const BOT: Bot = { id: 123_456_789, username: "vodkeep_bot" };
const BOT_TOKEN = `${BOT.id}:stand-in-token-that-opens-nothing-0001`;

/**
 * A Telegram Bot API for one bot, with a page on which to act as its users. It refuses the same
 * calls as the real one: to users who have not pressed Start or have blocked the bot.
 */
export async function startTelegramStandIn(options: {
  readonly host: string;
  readonly port: number;
}): Promise<TelegramStandIn> {
  const people = createPeople();
  const methods = createBotMethods(people, BOT);
  const faults = createFaults();
  const ledger: LedgerEntry[] = [];

  async function chooseAnswer(
    token: string | undefined,
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    fault: Fault | null,
    gone: AbortSignal,
  ): Promise<BotAnswer> {
    if (token !== BOT_TOKEN) return refusal(401, "Unauthorized");
    if (fault?.status !== undefined) {
      return refusal(fault.status, fault.description ?? "Spoiled on request", fault.retryAfterSec);
    }
    return await methods.call(method, parameters, gone);
  }

  function act(person: Person, action: string, text: string): boolean {
    if (action === "start") {
      person.hasStarted = true;
      people.write(person, "/start");
    } else if (action === "say") {
      person.hasStarted = true;
      people.write(person, text);
    } else if (action === "block") person.hasBlocked = true;
    else if (action === "unblock") person.hasBlocked = false;
    else return false;
    return true;
  }

  const app = new Hono<{ Bindings: HttpBindings }>()
    .all("/:bot{bot[^/]+}/:method{\\w+}", async (c) => {
      const { bot, method } = c.req.param();
      const token = bot.slice("bot".length);
      const parameters = await readParameters(c.req);
      const gone = new AbortController();
      c.env.outgoing.once("close", () => gone.abort());
      const fault = token === BOT_TOKEN ? faults.take(method) : null;
      if (fault?.delayMs !== undefined) await pause(fault.delayMs, gone.signal);
      if (fault?.drop === true) {
        c.env.incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      const chosen = await chooseAnswer(token, method, parameters, fault, gone.signal);
      const status = chosen.ok ? 200 : chosen.error_code;
      ledger.push({ at: Date.now(), method, parameters, status });
      return Response.json(chosen, { status });
    })
    .get("/", (c) => {
      const person = people.find(Number(c.req.query("as"))) ?? people.list()[0];
      return person === undefined ? c.notFound() : c.html(chatPage(people.list(), person, BOT));
    })
    .get("/people/:id/messages", (c) => {
      const person = people.find(Number(c.req.param("id")));
      return person === undefined ? c.notFound() : c.html(messagesPage(person));
    })
    .post("/people/:id/:action", async (c) => {
      const person = people.find(Number(c.req.param("id")));
      const { text } = await c.req.parseBody();
      const said = typeof text === "string" ? text : "";
      return person !== undefined && act(person, c.req.param("action"), said)
        ? c.redirect(`/?as=${person.id}`, 303)
        : c.notFound();
    })
    .notFound((c) => c.json(refusal(404, "Not Found"), 404));
  const server = await serve(app, options.host, options.port);

  return {
    url: `http://${options.host}:${server.port}`,
    botToken: BOT_TOKEN,
    botName: BOT.username,
    people,
    ledger,
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    close: () => server.close(),
  };
}

/** Parameters may be in the query, a form or JSON (Bot API, "Making requests"). */
async function readParameters(request: HonoRequest): Promise<Readonly<Record<string, unknown>>> {
  if (request.header("content-type")?.startsWith("application/json") === true)
    return await request.json<Record<string, unknown>>();
  return { ...request.query(), ...(await request.parseBody()) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
