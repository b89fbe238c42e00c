import { STATUS_CODES } from "node:http";
import { jsonAnswer, type Answer } from "../http/answer.ts";

/** The long form of Helix's errors: name, status, message (docs/twitch.md#helix). */
export function helixError(status: number, message: string): Answer {
  return jsonAnswer(status, { error: STATUS_CODES[status] ?? "Error", status, message });
}
