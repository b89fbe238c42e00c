import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type HonoRequest } from "hono";
import { PendingFaults } from "../pending-faults.ts";
import { serve } from "../serve.ts";
import { createBotMethods, refusal, type BotAnswer, type Parameters } from "./bot-methods.ts";
import { createPeople, type Person } from "./people.ts";
import { escapeHtml, page } from "#stand-ins/page.ts";

/** A misbehaviour of the Bot API, set by a test. */
type Fault = {
  /** The method that fails, for example "sendMessage"; absent: every method. */
  readonly method?: string;
  /** HTTP status of the error; absent: the call is only delayed. */
  readonly status?: number;
  readonly description?: string;
  readonly retryAfterSec?: number;
  readonly delayMs?: number;
  /** Closes the connection without a response. */
  readonly drop?: boolean;
  times?: number;
};

/** A received call of the Bot API. */
type LedgerEntry = { readonly method: string; readonly parameters: Parameters };

export type TelegramStandIn = Awaited<ReturnType<typeof startTelegramStandIn>>;

const BOT = { id: 123_456_789, username: "vodkeep_bot" };
const BOT_TOKEN = `${BOT.id}:stand-in-token-that-opens-nothing-0001`;

/**
 * A Telegram Bot API for one bot, with a page on which to act as its users. It refuses the same
 * calls as the real one: to users who have not pressed Start or have blocked the bot.
 */
export async function startTelegramStandIn() {
  const people = createPeople();
  const methods = createBotMethods(people, BOT);
  const faults = new PendingFaults<Fault>();
  const ledger: LedgerEntry[] = [];

  function act(person: Person, action: string, text: string): boolean {
    if (action === "start" || action === "say") {
      person.hasStarted = true;
      people.write(person, action === "start" ? "/start" : text);
    } else if (action === "block" || action === "unblock") person.hasBlocked = action === "block";
    else return false;
    return true;
  }

  const app = new Hono<{ Bindings: HttpBindings }>()
    .all("/:bot{bot[^/]+}/:method{\\w+}", async (c) => {
      const { bot, method: name } = c.req.param();
      if (bot !== `bot${BOT_TOKEN}`) return answer(refusal(401, "Unauthorized"));
      const parameters = await readParameters(c.req);
      const gone = new AbortController();
      c.env.outgoing.once("close", () => gone.abort());
      const fault = faults.take(({ method = name }) => method === name);
      if (fault?.delayMs !== undefined)
        await sleep(fault.delayMs, undefined, { signal: gone.signal }).catch(() => undefined);
      if (fault?.drop === true) {
        c.env.incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      const call = methods.get(name) ?? (() => refusal(404, "Not Found: method not found"));
      const chosen =
        fault?.status === undefined
          ? await call(parameters, gone.signal)
          : refusal(fault.status, fault.description ?? "Spoiled on request", fault.retryAfterSec);
      ledger.push({ method: name, parameters });
      return answer(chosen);
    })
    .get("/", (c) => {
      const person = people.find(Number(c.req.query("as"))) ?? people.list()[0];
      return person === undefined
        ? c.notFound()
        : c.html(chatPage(people.list(), person, BOT.username));
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
    .notFound(() => answer(refusal(404, "Not Found")));
  const server = await serve(app);

  return {
    /** Base URL for TELEGRAM_API_URL, and of the chat page. */
    url: server.url,
    botToken: BOT_TOKEN,
    people,
    ledger,
    addFault: (fault: Fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    close: () => server.close(),
  };
}

function answer(chosen: BotAnswer): Response {
  return Response.json(chosen, { status: chosen.ok ? 200 : chosen.error_code });
}

/** Parameters may be in the query, a form or JSON (Bot API, "Making requests"). */
async function readParameters(request: HonoRequest): Promise<Parameters> {
  if (request.header("content-type")?.startsWith("application/json") === true)
    return await request.json<Record<string, unknown>>();
  return { ...request.query(), ...(await request.parseBody()) };
}

/** A page on which a developer acts as a Telegram user. */
function chatPage(people: readonly Person[], person: Person, botName: string): string {
  const links = people.map(({ id, name }) => `<a href="/?as=${id}">${escapeHtml(name)}</a>`);
  const button = (action: string, label: string) =>
    `<form method="post" action="/people/${person.id}/${action}"><button>${label}</button></form>`;
  const state = person.hasBlocked
    ? "has blocked the bot"
    : person.hasStarted
      ? "has started the bot"
      : "has not pressed Start yet, so the bot may not write";
  return page(
    "Telegram stand-in",
    `<h1>Telegram stand-in: chat with @${botName}</h1>
    <nav aria-label="People">${links.join("")}</nav>
    <p><strong>${escapeHtml(person.name)}</strong>, user ID <code>${person.id}</code>, ${state}.</p>
    <iframe title="Messages" src="/people/${person.id}/messages"></iframe>
    ${button("start", "Start")}
    ${person.hasBlocked ? button("unblock", "Unblock bot") : button("block", "Block bot")}
    <form method="post" action="/people/${person.id}/say">
      <label>Message <input name="text" value="/myid" required maxlength="4096"></label>
      <button>Send</button></form>
    <p class="note">This page plays Telegram on your own machine. Nothing leaves it.</p>`,
  );
}

function messagesPage({ messages }: Person): string {
  const items = messages.map(({ from, text }) => `<li class="${from}">${escapeHtml(text)}</li>`);
  const body = items.length === 0 ? "<p>No messages yet.</p>" : `<ol>${items.join("")}</ol>`;
  return page("Messages", body, 2);
}
