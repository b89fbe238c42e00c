import { jsonAnswer, type Answer } from "../http/answer.ts";
import { headerOf, type Exchange } from "../http/exchange.ts";
import { readJson } from "../http/request-body.ts";
import * as z from "zod/mini";
import { UnknownVod, type TwitchControl } from "./control.ts";
import { customVodSchema } from "./control-input.ts";

/** VODs and the ledger over HTTP, for tests that run the stand-in as a separate process. */
export async function answerControl(control: TwitchControl, exchange: Exchange): Promise<Answer> {
  // Pages of other origins can send forms or text without a CORS preflight, but not JSON.
  const isJson = headerOf(exchange, "content-type")?.startsWith("application/json") ?? false;
  if (exchange.body.byteLength > 0 && !isJson) {
    return jsonAnswer(415, { error: "send application/json" });
  }
  try {
    const answer = await route(control, exchange);
    return answer ?? jsonAnswer(404, { error: "no such control" });
  } catch (error) {
    if (error instanceof UnknownVod) {
      return jsonAnswer(404, { error: error.message });
    }
    if (error instanceof z.core.$ZodError) {
      return jsonAnswer(400, { error: error.message });
    }
    throw error;
  }
}

async function route(control: TwitchControl, exchange: Exchange): Promise<Answer | null> {
  const [section, id = "", action = ""] = exchange.url.pathname.split("/").slice(2);
  switch (`${exchange.method} ${section} ${id === "" ? "" : "id"} ${action}`.trim()) {
    case "GET vods":
      return jsonAnswer(200, control.vods());
    case "POST vods":
      return jsonAnswer(201, control.addVod(z.parse(customVodSchema, readJson(exchange.body))));
    case "GET vods id digest":
      return jsonAnswer(200, await control.sourceDigest(id));
    case "GET ledger":
      return jsonAnswer(200, control.ledger());
    case "GET ledger id":
      return jsonAnswer(200, Object.fromEntries(control.served(id)));
    default:
      return null;
  }
}
