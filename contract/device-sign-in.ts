import * as z from "zod/mini";
import { sessionGrantSchema } from "./auth.ts";
import { defineCall } from "./call.ts";

/** What a browser shows while its user enters the code at Twitch, and sends to ask for the outcome. */
export const deviceSignInSchema = z.object({
  userCode: z.string(),
  verificationUri: z.url(),
  /** Opaque, and of use in this browser only. */
  state: z.string(),
  intervalSec: z.number(),
  expiresAt: z.iso.datetime(),
});
export type DeviceSignIn = z.infer<typeof deviceSignInSchema>;

export const beginDeviceSignIn = defineCall({
  method: "POST",
  path: "/admin/auth/device",
  policy: "public",
  summary: "Start a sign-in by a code, at an address to which Twitch may not return",
  data: deviceSignInSchema,
});

export const finishDeviceSignIn = defineCall({
  method: "POST",
  path: "/admin/auth/device/finish",
  policy: "public",
  summary: "Ask whether the code of a sign-in was confirmed at Twitch, and complete it",
  body: z.strictObject({ state: z.string().check(z.minLength(1), z.maxLength(1_024)) }),
  data: z.object({
    /** Null while Twitch waits for its user. */
    grant: z.nullable(sessionGrantSchema),
    /** The next question must come 5 s later than before (RFC 8628 section 3.5). */
    isTooFast: z.boolean(),
  }),
});

/**
 * Whether Twitch returns sign-ins to this address: to https, and to http://localhost. For an IP
 * address over https, that is not known.
 */
export function twitchReturnsTo(address: string): "yes" | "no" | "unknown" {
  const [, scheme, host = ""] = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(address) ?? [];
  if (scheme === "https") return /^(?:[\d.]+|\[.*)$/.test(host) ? "unknown" : "yes";
  return host === "localhost" ? "yes" : "no";
}
