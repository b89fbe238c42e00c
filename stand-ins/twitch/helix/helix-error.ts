import { STATUS_CODES } from "node:http";
import { jsonAnswer, type Answer } from "../http/answer.ts";

/** Helix's errors have the long form: name, status, message (docs/twitch.md#helix). */
export function helixError(status: number, message: string): Answer {
  return jsonAnswer(status, { error: STATUS_CODES[status] ?? "Error", status, message });
}
