import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { readJson } from "../http/request-body.ts";
import type { TwitchControl } from "./control.ts";

/** `POST /_control/<method>` calls a method with the parameters in its body, a JSON array. */
export async function answerControl(control: TwitchControl, exchange: Exchange): Promise<Answer> {
  // Pages of other origins can send forms or text without a CORS preflight, but not JSON.
  if (exchange.headers.get("content-type") !== "application/json")
    return jsonAnswer(415, { error: "send application/json" });
  const name = exchange.url.pathname.replace("/_control/", "");
  const method: unknown = Object.hasOwn(control, name) ? Reflect.get(control, name) : undefined;
  const parameters = readJson(exchange.body);
  if (typeof method !== "function" || !Array.isArray(parameters))
    return jsonAnswer(404, { error: "no such control" });
  try {
    const result: unknown = await Reflect.apply(method, control, parameters);
    return jsonAnswer(200, { result });
  } catch (error) {
    return jsonAnswer(400, { error: String(error) });
  }
}
