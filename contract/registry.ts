import * as z from "zod/mini";
import * as audit from "./audit.ts";
import * as auth from "./auth.ts";
import * as browserNotifications from "./browser-notifications.ts";
import type { AnyCall } from "./call.ts";
import * as backups from "./backups.ts";
import * as channelLookup from "./channel-lookup.ts";
import * as channels from "./channels.ts";
import * as channelVods from "./channel-vods.ts";
import * as consent from "./consent.ts";
import * as deviceSignIn from "./device-sign-in.ts";
import * as costs from "./costs.ts";
import * as dashboard from "./dashboard.ts";
import * as errors from "./errors.ts";
import * as examination from "./examination.ts";
import * as files from "./files.ts";
import * as library from "./library.ts";
import * as notifications from "./notifications.ts";
import * as pictures from "./pictures.ts";
import * as sessions from "./sessions.ts";
import * as setup from "./setup.ts";
import * as sourcePreview from "./source-preview.ts";
import * as system from "./system.ts";
import * as systemHistory from "./system-history.ts";
import * as tokens from "./tokens.ts";
import * as trash from "./trash.ts";
import * as uploadStream from "./upload-stream.ts";
import * as upload from "./upload.ts";
import * as uploads from "./uploads.ts";
import * as users from "./users.ts";
import * as verification from "./verification.ts";
import * as webhooks from "./webhooks.ts";

/** Every module that declares calls, with its name in paths and folders. */
const FEATURES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["auth", auth],
  ["auth", deviceSignIn],
  ["auth", sessions],
  ["auth", tokens],
  ["setup", setup],
  ["dashboard", dashboard],
  ["system", system],
  ["system", backups],
  ["system", systemHistory],
  ["system", examination],
  ["uploads", uploads],
  ["uploads", sourcePreview],
  ["uploads", uploadStream],
  ["uploads", pictures],
  ["consent", consent],
  ["channels", channels],
  ["channels", channelLookup],
  ["channels", channelVods],
  ["users", users],
  ["costs", costs],
  ["files", files],
  ["files", verification],
  ["files", trash],
  ["library", library],
  ["notifications", notifications],
  ["notifications", browserNotifications],
  ["notifications", webhooks],
  ["audit", audit],
];

export type NamedCall = { readonly name: string; readonly feature: string; readonly call: AnyCall };

/** Every call with the unique name of its declaration. */
export const NAMED_CALLS: readonly NamedCall[] = FEATURES.flatMap(([feature, declarations]) =>
  Object.entries(declarations).flatMap(([name, value]) =>
    isCall(value) ? [{ name, feature, call: value }] : [],
  ),
);

/** Every call of the API. The router refuses to start if one has no handler. */
export const CALLS: readonly AnyCall[] = NAMED_CALLS.map(({ call }) => call);

function isCall(value: unknown): value is AnyCall {
  return typeof value === "object" && value !== null && "method" in value && "policy" in value;
}

/** Named objects of the contract: `Upload` for `uploadSchema` and so on. */
export const NAMED_SCHEMAS: ReadonlyMap<string, z.core.$ZodType> = new Map(
  [upload, errors, ...FEATURES.map(([, declarations]) => declarations)].flatMap((declarations) =>
    Object.entries(declarations).flatMap(([name, value]: [string, unknown]) =>
      name.endsWith("Schema") && value instanceof z.ZodMiniObject
        ? [[nameOfSchema(name), value] as const]
        : [],
    ),
  ),
);

function nameOfSchema(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1, -"Schema".length);
}
