import { emptyAnswer, jsonAnswer, type Answer } from "../http/answer.ts";
import { headerOf, type Exchange } from "../http/exchange.ts";
import { isRecord, readJson } from "../http/request-body.ts";
import { UnknownVod, type TwitchControl } from "./control.ts";
import {
  InvalidControl,
  readCustomVod,
  readEvent,
  readFault,
  readIndices,
} from "./control-input.ts";

/** The control over HTTP, for tests that run the stand-in as a separate process. */
export async function answerControl(control: TwitchControl, exchange: Exchange): Promise<Answer> {
  // Pages of other origins can send forms or text without a CORS preflight, but not JSON.
  const isJson = headerOf(exchange, "content-type")?.startsWith("application/json") ?? false;
  if (exchange.body.byteLength > 0 && !isJson) {
    return jsonAnswer(415, { error: "send application/json" });
  }
  const body = exchange.body.byteLength === 0 ? {} : readJson(exchange.body);
  if (!isRecord(body)) {
    return jsonAnswer(400, { error: "the body has to be a JSON object" });
  }
  try {
    const answer = await route(control, exchange, body);
    return answer ?? jsonAnswer(404, { error: "no such control" });
  } catch (error) {
    if (error instanceof UnknownVod) {
      return jsonAnswer(404, { error: error.message });
    }
    if (error instanceof InvalidControl || error instanceof SyntaxError) {
      return jsonAnswer(400, { error: error.message });
    }
    throw error;
  }
}

type Body = Readonly<Record<string, unknown>>;

async function route(
  control: TwitchControl,
  exchange: Exchange,
  body: Body,
): Promise<Answer | null> {
  const [section = "", id = "", action = ""] = exchange.url.pathname.split("/").slice(2);
  const call = `${exchange.method} ${section}`;
  switch (call) {
    case "GET faults":
      return jsonAnswer(200, control.faults());
    case "POST faults":
      return jsonAnswer(201, { id: control.addFault(readFault(body)) });
    case "DELETE faults":
      if (id === "") {
        control.clearFaults();
        return emptyAnswer(204);
      }
      return emptyAnswer(control.removeFault(Number(id)) ? 204 : 404);
    case "GET vods":
    case "POST vods":
    case "DELETE vods":
      return routeVods(control, exchange, { id, action }, body);
    case "GET accounts":
      return jsonAnswer(200, control.accounts());
    case "POST accounts":
      return routeAccounts(control, { id, action }, body);
    case "GET requests": {
      const query = exchange.url.searchParams;
      const vodId = query.get("vodId");
      const entries = control.requests(vodId === null ? {} : { vodId });
      const kind = query.get("kind");
      return jsonAnswer(
        200,
        kind === null ? entries : entries.filter((entry) => entry.kind === kind),
      );
    }
    case "GET ledger": {
      if (id === "") {
        return jsonAnswer(200, control.ledger());
      }
      const tally = control.served(id);
      return jsonAnswer(200, { ...tally, segments: Object.fromEntries(tally.segments) });
    }
    case "DELETE ledger":
      control.resetLedger();
      return emptyAnswer(204);
    case "POST settings":
      return jsonAnswer(200, changeSettings(control, body));
    case "POST events":
      return jsonAnswer(200, await control.sendEvent(readEvent(body)));
    case "POST reset":
      control.reset();
      return emptyAnswer(204);
    default:
      return null;
  }
}

type Target = { readonly id: string; readonly action: string };

async function routeVods(
  control: TwitchControl,
  exchange: Exchange,
  { id, action }: Target,
  body: Body,
): Promise<Answer | null> {
  const groupId = exchange.url.searchParams.get("group") ?? undefined;
  switch (`${exchange.method} ${id === "" ? "" : `id ${action}`}`.trim()) {
    case "GET":
      return jsonAnswer(200, control.vods());
    case "POST":
      return jsonAnswer(201, control.addVod(readCustomVod(body)));
    case "DELETE id":
      return emptyAnswer(control.deleteVod(id) ? 204 : 404);
    case "GET id digest":
      return jsonAnswer(200, await control.sourceDigest(id, groupId));
    case "POST id mute":
      return jsonAnswer(200, control.mute(id, readIndices(body)));
    case "POST id grow":
      return jsonAnswer(200, control.grow(id, Number(body["segments"] ?? 1)));
    case "POST id end":
      return jsonAnswer(200, control.end(id));
    default:
      return null;
  }
}

function routeAccounts(control: TwitchControl, { id, action }: Target, body: Body): Answer | null {
  if (id === "") {
    const texts = Object.entries(body).filter(([, value]) => typeof value === "string");
    return jsonAnswer(201, control.addAccount(Object.fromEntries(texts)));
  }
  switch (action) {
    case "disconnect":
      return jsonAnswer(200, { ended: control.disconnect(id) });
    case "expire":
      return jsonAnswer(200, { ended: control.expireTokens(id === "app" ? null : id) });
    default:
      return null;
  }
}

/** Changes numbers and switches, several in one call; unknown names are refused. */
function changeSettings(control: TwitchControl, body: Body): unknown {
  for (const [name, value] of Object.entries(body)) {
    if (name === "pointsPerMinute" && typeof value === "number") {
      control.setRate({ pointsPerMinute: value });
    } else if (name === "userSec" && typeof value === "number") {
      control.setTokenLifetimes({ userSec: value });
    } else if (name === "appSec" && typeof value === "number") {
      control.setTokenLifetimes({ appSec: value });
    } else if (name === "refreshRotates" && typeof value === "boolean") {
      control.setRefreshRotation(value);
    } else if (name === "appName" && typeof value === "string") {
      control.change({ appName: value });
    } else if (name === "deadRefreshStatus" && (value === 400 || value === 401)) {
      control.change({ deadRefreshStatus: value });
    } else if (name === "persistedQueriesAreGone" && typeof value === "boolean") {
      control.change({ persistedQueriesAreGone: value });
    } else if (name === "identityClaims" && isRecord(value)) {
      control.change({ identityClaims: value });
    } else if (name === "playbackTokenSec" && typeof value === "number") {
      control.change({ playbackTokenSec: value });
    } else {
      throw new InvalidControl(`no setting ${name} takes this value`);
    }
  }
  return control.change({});
}
