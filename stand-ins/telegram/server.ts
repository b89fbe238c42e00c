import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord, readBody, readForm, readJson } from "#stand-ins/twitch/http/request-body.ts";
import { listen } from "../listen.ts";
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

  async function answerBot(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    body: Buffer,
  ) {
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    const parameters = readParameters(request, url, body);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const fault = token === BOT_TOKEN ? faults.take(method) : null;
    if (fault?.delayMs !== undefined) await pause(fault.delayMs, gone.signal);
    if (fault?.drop === true) {
      request.socket.destroy();
      return;
    }
    const chosen = await chooseAnswer(token, method, parameters, fault, gone.signal);
    const status = chosen.ok ? 200 : chosen.error_code;
    ledger.push({ at: Date.now(), method, parameters, status });
    send(response, status, "application/json", JSON.stringify(chosen));
  }

  async function chooseAnswer(
    token: string | undefined,
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    fault: Fault | null,
    gone: AbortSignal,
  ): Promise<BotAnswer> {
    if (token === undefined) return refusal(404, "Not Found");
    if (token !== BOT_TOKEN) return refusal(401, "Unauthorized");
    if (fault?.status !== undefined) {
      return refusal(fault.status, fault.description ?? "Spoiled on request", fault.retryAfterSec);
    }
    return await methods.call(method, parameters, gone);
  }

  function act(response: ServerResponse, person: Person, action: string, form: URLSearchParams) {
    if (action === "start") {
      person.hasStarted = true;
      people.write(person, "/start");
    } else if (action === "say") {
      person.hasStarted = true;
      people.write(person, form.get("text") ?? "");
    } else if (action === "block") person.hasBlocked = true;
    else if (action === "unblock") person.hasBlocked = false;
    else return notFound(response);
    response.writeHead(303, { location: `/?as=${person.id}` }).end();
  }

  function answerPerson(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    body: Buffer,
  ) {
    const [, id, action = ""] = /^\/people\/(\d+)\/(\w+)$/.exec(url.pathname) ?? [];
    const person = people.find(Number(id));
    if (person === undefined) return notFound(response);
    if (request.method === "POST") return act(response, person, action, readForm(url, body));
    if (action === "messages") return sendPage(response, messagesPage(person));
    return notFound(response);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://stand-in");
    const body = await readBody(request);
    if (url.pathname.startsWith("/bot")) return await answerBot(request, response, url, body);
    if (url.pathname.startsWith("/people/")) return answerPerson(request, response, url, body);
    if (url.pathname !== "/") return notFound(response);
    const person = people.find(Number(url.searchParams.get("as"))) ?? people.list()[0];
    if (person === undefined) return notFound(response);
    sendPage(response, chatPage(people.list(), person, BOT));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, "text/plain", String(error));
      else response.destroy();
    });
  });
  const port = await listen(server, options.host, options.port);

  return {
    url: `http://${options.host}:${port}`,
    botToken: BOT_TOKEN,
    botName: BOT.username,
    people,
    ledger,
    addFault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Parameters may be in the query, a form or JSON (Bot API, "Making requests"). */
function readParameters(
  request: IncomingMessage,
  url: URL,
  body: Buffer,
): Readonly<Record<string, unknown>> {
  if (request.headers["content-type"]?.startsWith("application/json") === true) {
    const parsed = readJson(body);
    return isRecord(parsed) ? parsed : {};
  }
  return Object.fromEntries(readForm(url, body));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function sendPage(response: ServerResponse, html: string): void {
  send(response, 200, "text/html; charset=utf-8", html);
}

function notFound(response: ServerResponse): void {
  send(response, 404, "application/json", JSON.stringify(refusal(404, "Not Found")));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
}
