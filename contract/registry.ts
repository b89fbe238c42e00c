import * as audit from "./audit.ts";
import * as auth from "./auth.ts";
import type { AnyCall } from "./call.ts";
import * as costs from "./costs.ts";
import * as dashboard from "./dashboard.ts";
import * as files from "./files.ts";
import * as notifications from "./notifications.ts";
import * as sessions from "./sessions.ts";
import * as system from "./system.ts";
import * as uploadStream from "./upload-stream.ts";
import * as uploads from "./uploads.ts";
import * as users from "./users.ts";
import * as views from "./views.ts";

function callsOf(feature: Record<string, unknown>): AnyCall[] {
  return Object.values(feature).filter(isCall);
}

function isCall(value: unknown): value is AnyCall {
  return typeof value === "object" && value !== null && "method" in value && "policy" in value;
}

/** Every call of the API. The router refuses to start when one of them has no handler. */
export const CALLS: readonly AnyCall[] = [
  auth,
  sessions,
  dashboard,
  system,
  uploads,
  uploadStream,
  users,
  costs,
  files,
  notifications,
  audit,
  views,
].flatMap(callsOf);
