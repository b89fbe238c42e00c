import { randomBytes } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { serve } from "../serve.ts";
import { emptyAnswer, type Answer } from "./http/answer.ts";
import { deliver } from "./http/deliver.ts";
import type { Exchange } from "./http/exchange.ts";
import { createPacer } from "./http/pacer.ts";
import { createVodTable } from "./catalog/vod-table.ts";
import { makeCustomVod } from "./catalog/custom-vod.ts";
import { makeDemoVods } from "./catalog/demo-vods.ts";
import { makeScenarioVods } from "./catalog/scenario-vods.ts";
import { createControl, type TwitchControl } from "./control/control.ts";
import { answerControl } from "./control/control-routes.ts";
import { applyFault, isInFront } from "./faults/damage.ts";
import { createBroadcasts } from "./broadcasts/broadcasts.ts";
import { createTimetable } from "./broadcasts/timetable.ts";
import { createFaultList } from "./faults/fault-list.ts";
import { createListFaults } from "./faults/list-fault.ts";
import type { Fault } from "./faults/fault.ts";
import { answerGql } from "./gql/gql-routes.ts";
import { answerHelix } from "./helix/helix-routes.ts";
import { createRateBuckets } from "./helix/rate-bucket.ts";
import { createRequestLedger } from "./ledger/request-ledger.ts";
import { answerMedia } from "./media/media-routes.ts";
import { createAccountTable, type Account } from "./oauth/accounts.ts";
import { createDeviceTable } from "./oauth/device.ts";
import { answerOauth } from "./oauth/oauth-routes.ts";
import { createTokenStore, type SavedTokens } from "./oauth/token-store.ts";
import { readRequestAbout } from "./request-kind.ts";
import { answerStatic } from "./static-routes.ts";
import { answerUsher } from "./usher/usher-routes.ts";
import { APPLICATION, type AddedVod, type Addresses, type World } from "./world.ts";

export type TwitchStandInOptions = {
  /** 0, the default, selects a free port. */
  readonly port?: number;
  /** Absent: any loopback redirect URI is allowed. */
  readonly redirectUris?: readonly string[];
  /** Milliseconds since 1970; determines token lifetimes, rate limits and growing VODs. */
  readonly now?: () => number;
  /** Base addresses in answers, if they are not the stand-in's own. */
  readonly addresses?: Addresses;
  /** The last state reported by an earlier process: its sign-ins and VODs are restored. */
  readonly saved?: SavedState | null;
};

/** The state that survives a restart, without faults and changes to built-in VODs. */
export type SavedState = {
  readonly port: number;
  /** When the catalog was created: its VODs keep their times, and so their media URLs. */
  readonly catalogAt: number;
  readonly tokens: SavedTokens;
  readonly accounts: readonly Account[];
  readonly addedVods: readonly AddedVod[];
};

export type TwitchStandIn = Awaited<ReturnType<typeof startTwitchStandIn>>;

export async function startTwitchStandIn(options: TwitchStandInOptions = {}) {
  let baseUrl = "";
  const timetable = createTimetable(options.now ?? Date.now);
  const { now } = timetable;
  const saved = options.saved ?? null;
  const catalogAt = saved?.catalogAt ?? now();
  const catalog = [...makeDemoVods(catalogAt), ...makeScenarioVods(catalogAt)];
  const accounts = createAccountTable();
  const vods = createVodTable(catalog);
  const addedVods: AddedVod[] = [...(saved?.addedVods ?? [])];
  const world: World = {
    redirectUris: options.redirectUris ?? null,
    now,
    accounts,
    tokens: createTokenStore(now),
    devices: createDeviceTable(now),
    vods,
    addedVods,
    timetable,
    broadcasts: createBroadcasts({ accounts, addedVods, timetable, vods }),
    faults: createFaultList(catalog, now),
    listFaults: createListFaults(now, vods.byOwner),
    rates: createRateBuckets(now),
    ledger: createRequestLedger(),
    settings: { deadRefreshStatus: 400, identityClaims: {} },
    playbackSecret: randomBytes(32),
    baseUrl: () => baseUrl,
    addresses: () => options.addresses ?? { signIn: baseUrl, media: baseUrl, pictures: baseUrl },
  };
  for (const { id, custom, addedAt } of world.addedVods)
    world.vods.add(makeCustomVod(id, custom, addedAt));
  for (const account of saved?.accounts ?? []) accounts.add(account);
  for (const vod of vods.all()) world.broadcasts.expire(vod);
  if (saved !== null) world.tokens.restore(saved.tokens);
  const control = createControl(world);
  const pacer = createPacer();
  const app = new Hono<{ Bindings: HttpBindings }>().all("*", async (c) => {
    const { exchange, fault, damaged } = await answerRequest(world, control, c.req.raw);
    const isMedia = exchange.kind === "segment" || exchange.kind === "init";
    const finish = isMedia ? world.ledger.openMedia() : () => undefined;
    const response = await deliver(c.req.raw, c.env, damaged, pacer, (sentBytes) => {
      finish();
      record(world, exchange, fault, sentBytes);
    });
    return response ?? RESPONSE_ALREADY_SENT;
  });
  const server = await serve(app, options.port);
  baseUrl = server.url;
  const { host: mediaHost, port } = new URL(baseUrl);

  return {
    url: baseUrl,
    /** The service's settings that point it at this stand-in. */
    settings: {
      TWITCH_CLIENT_ID: APPLICATION.clientId,
      TWITCH_CLIENT_SECRET: APPLICATION.clientSecret,
      TWITCH_ID_URL: baseUrl,
      TWITCH_API_URL: `${baseUrl}/helix`,
      TWITCH_GQL_URL: `${baseUrl}/gql`,
      TWITCH_USHER_URL: baseUrl,
      TWITCH_MEDIA_HOSTS: mediaHost,
    },
    control,
    /** `fetch` without a connection, for whole answers in the caller's own time. */
    fetch: (url: string, init?: RequestInit) => answerDirectly(world, control, url, init),
    save: (): SavedState => ({
      port: Number(port),
      catalogAt,
      tokens: world.tokens.save(),
      accounts: world.accounts.all(),
      // Broadcasts do not go on after a restart: their VODs end where they are.
      addedVods: addedVods.map(({ custom, ...added }) => {
        const segmentCount = vods.get(added.id)?.segmentCount ?? custom.segmentCount;
        const isBroadcast = custom.streamId !== undefined && segmentCount !== undefined;
        return { ...added, custom: isBroadcast ? { ...custom, segmentCount } : custom };
      }),
    }),
    close: () => server.close(),
  };
}

/** Answers a call of `fetch` without a connection, at once but for a silence in its body. */
async function answerDirectly(
  world: World,
  control: TwitchControl,
  address: string,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(address, init);
  const { exchange, fault, damaged } = await answerRequest(world, control, request);
  const { answer, delivery } = damaged;
  const isCut = delivery.ending === "reset" || delivery.ending === "noise";
  const isBroken = delivery.resetAtOnce || isCut;
  record(world, exchange, fault, isBroken ? 0 : answer.body.byteLength);
  if (isBroken) throw new TypeError("fetch failed");
  const bytes = new Uint8Array(answer.body);
  return new Response(delivery.ending === "silence" ? thenSilence(bytes, init.signal) : bytes, {
    status: answer.status,
    headers: { ...answer.headers, "content-length": String(delivery.contentLength) },
  });
}

function thenSilence(bytes: Uint8Array, signal?: AbortSignal | null): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      signal?.addEventListener("abort", () => controller.error(signal.reason), { once: true });
    },
  });
}

async function answerRequest(world: World, control: TwitchControl, request: Request) {
  const { method, headers } = request;
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  world.broadcasts.settle();
  const about = readRequestAbout(world, url, headers.get("range"), body);
  const exchange: Exchange = { ...about, method, headers, url, body };
  const fault = exchange.kind === "control" ? null : world.faults.take(exchange);
  const whole = isInFront(fault)
    ? emptyAnswer(200)
    : await answerExchange(world, control, exchange, fault);
  return { exchange, fault, damaged: applyFault(whole, fault, world.now()) };
}

function record(world: World, exchange: Exchange, fault: Fault | null, sentBytes: number): void {
  const { kind, vodId, segmentIndex, url } = exchange;
  if (kind === "control") return;
  const applied = fault?.type ?? null;
  world.ledger.record({ path: url.pathname, kind, vodId, segmentIndex, fault: applied }, sentBytes);
}

function answerExchange(
  world: World,
  control: TwitchControl,
  exchange: Exchange,
  fault: Fault | null,
): Answer | Promise<Answer> {
  switch (exchange.kind) {
    case "authorize":
    case "token":
    case "device":
    case "validate":
    case "revoke":
      return answerOauth(world, exchange);
    case "helix":
      return answerHelix(world, exchange);
    case "gql":
      return answerGql(world, exchange, fault);
    case "master":
      return answerUsher(world, exchange);
    case "playlist":
    case "init":
    case "segment":
      return answerMedia(world, exchange);
    case "static":
      return answerStatic(world, exchange.url);
    case "control":
      return answerControl(control, exchange);
    default:
      return emptyAnswer(404);
  }
}
