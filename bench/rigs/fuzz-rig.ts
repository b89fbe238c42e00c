import { setTimeout as pause } from "node:timers/promises";
import { evaluate, uploadNamed, type FuzzAnswer } from "./fuzz-evaluate.ts";
import { createRequestMaker, type FuzzRequest } from "./fuzz-request.ts";
import { openFuzzWorld, type FuzzWorld } from "./fuzz-world.ts";

/**
 * Requests per world: few enough to reproduce a failing request quickly, and enough for requests to
 * meet the effects of earlier ones.
 */
const REQUESTS_PER_WORLD = 5_000;
const RESTOCK_EVERY = 250;
const MAX_FAULTS = 20;
/** Requests are aborted after this time, so that a hang is reported instead of blocking the run. */
const GIVE_UP_MS = 20_000;

/**
 * Sends hostile requests to the whole service, over a real database and store, and evaluates each
 * response by the contract. Worlds have consecutive seeds, so that any request can be reproduced.
 */
export async function runFuzzRig({
  requests,
  seed,
  report,
}: {
  readonly requests: number;
  readonly seed: number;
  /** Called after each world. */
  readonly report: (line: string) => void;
}) {
  /** Each with the command that reproduces it. */
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let done = 0;
  for (let worldSeed = seed; done < requests && faults.length < MAX_FAULTS; worldSeed += 1) {
    const count = Math.min(REQUESTS_PER_WORLD, requests - done);
    const world = await openFuzzWorld();
    try {
      faults.push(...(await fuzzWorld(world, worldSeed, count, statuses)));
    } finally {
      await world.close();
    }
    done += count;
    report(`${done} requests, ${faults.length} faults`);
  }
  return { requests: done, statuses, faults };
}

async function fuzzWorld(
  world: FuzzWorld,
  seed: number,
  count: number,
  statuses: Map<number, number>,
): Promise<string[]> {
  const makeRequest = createRequestMaker(seed);
  const goneIds = new Set<string>();
  const faults: string[] = [];
  for (let index = 1; index <= count && faults.length < MAX_FAULTS; index += 1) {
    if (index % RESTOCK_EVERY === 0) await world.restock();
    const request = await makeRequest(world);
    const answer = await ask(world, request);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const wrong = evaluate(request, answer, secretsOf(world), goneIds);
    await follow(world, request, answer, goneIds);
    if (wrong.length > 0)
      faults.push(
        `${request.method} ${request.target.slice(0, 200)} answers ${answer.status} and ${wrong.join("; ")} ` +
          `(${request.story}, as ${request.actor?.name ?? "nobody known"}, body ${describeBody(request)}); ` +
          `again: npm run rig:fuzz -- --requests ${index} --seed ${seed}`,
      );
  }
  return faults;
}

async function ask(world: FuzzWorld, request: FuzzRequest): Promise<FuzzAnswer> {
  const { control } = world.vodkeep.twitch;
  if (request.fault !== null) await control.addFault(request.fault);
  const startedMs = performance.now();
  const late = new AbortController();
  const answer = await Promise.race([
    answerOf(world, request),
    pause(GIVE_UP_MS, null, { signal: late.signal, ref: false }).catch(() => null),
  ]);
  late.abort();
  const tookMs = performance.now() - startedMs;
  if (request.fault !== null) await control.clearFaults();
  const changedTables = await world.takeChanges();
  const given = answer ?? { status: 0, headers: new Headers(), text: "" };
  return { ...given, tookMs, changedTables };
}

async function answerOf(
  world: FuzzWorld,
  { method, target, headers, body, isStreamed }: FuzzRequest,
): Promise<Pick<FuzzAnswer, "status" | "headers" | "text">> {
  const response = await world.vodkeep.service.fetch(
    new Request(`http://localhost:8787${target}`, {
      method,
      headers,
      ...(body === null ? {} : isStreamed ? { body: inPieces(body), duplex: "half" } : { body }),
    }),
    { clientAddress: "127.0.0.1" },
  );
  const isStream = response.headers.get("content-type") === "text/event-stream";
  return {
    status: response.status,
    headers: response.headers,
    text: isStream ? await firstMessages(response) : await response.text(),
  };
}

function inPieces(body: string | Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const middle = Math.floor(bytes.length / 2);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, middle));
      controller.enqueue(bytes.subarray(middle));
      controller.close();
    },
  });
}

/** The first messages of a stream, which is then cancelled. */
async function firstMessages(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("data: ")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

/** Tracks what a request changed: the actor's session and the deleted uploads. */
async function follow(
  world: FuzzWorld,
  { method, target, actor }: FuzzRequest,
  { status, text, headers }: FuzzAnswer,
  goneIds: Set<string>,
): Promise<void> {
  if (status >= 300 || actor === null) return;
  const { pathname: path } = new URL(`http://localhost:8787${target}`);
  if (method === "DELETE" && path.startsWith("/admin/uploads/")) goneIds.add(uploadNamed(path));
  if (path === "/admin/auth/logout") world.forgetPasserBy();
  if (path !== "/admin/auth/refresh") return;
  const token = /"token":"([0-9a-f]{64})"/.exec(text)?.[1];
  if (token !== undefined) actor.client.token = token;
  for (const cookie of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^(\w+)=(\w*)/.exec(cookie) ?? [];
    actor.client.cookies.set(name, value);
  }
}

function secretsOf(world: FuzzWorld): ReadonlySet<string> {
  return new Set(
    world.actors.flatMap(({ client }) => [client.token ?? "", ...client.cookies.values()]),
  );
}

function describeBody({ body }: FuzzRequest): string {
  if (body === null) return "none";
  return typeof body === "string" ? body.slice(0, 200) : `${body.length} bytes`;
}
