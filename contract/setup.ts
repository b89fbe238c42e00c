import * as z from "zod/mini";
import { deviceSignInSchema } from "./device-sign-in.ts";
import { defineCall } from "./call.ts";

/** From the terminal that started the service. In bodies only, so that no log or referrer has it. */
const setupCodeSchema = z.string().check(z.minLength(1), z.maxLength(64));

const credentialSchema = z
  .string()
  .check(
    z.trim(),
    z.maxLength(128),
    z.regex(/^[\x21-\x7e]+$/, "must be letters, digits and signs without spaces"),
  );

/**
 * The calls of the first setup answer 404 through proxies, at other addresses than the service's own,
 * and once there is an administrator (docs/security.md#first-setup).
 */
export const readSetup = defineCall({
  method: "POST",
  path: "/admin/setup",
  policy: "public",
  summary: "How far the first setup is; needs the code from the terminal",
  body: z.strictObject({ code: setupCodeSchema }),
  data: z.object({
    /** Where the credentials in use come from; with `none`, a stand-in may play Twitch. */
    credentials: z.enum(["none", "stored", "environment"]),
    /** To be registered with the Twitch application, to the letter. */
    redirectUri: z.string(),
    /** What to do where Twitch refuses that address. */
    redirectAdvice: z.optional(z.string()),
    /** Somebody has signed in at the stand-in; connecting the real Twitch stops what they began. */
    hasTrialData: z.boolean(),
  }),
});

export const storeTwitchApplication = defineCall({
  method: "POST",
  path: "/admin/setup/twitch",
  policy: "public",
  summary: "Check a Twitch application's credentials, store them and restart with them",
  body: z.strictObject({
    code: setupCodeSchema,
    clientId: credentialSchema,
    clientSecret: credentialSchema,
  }),
  data: z.object({}),
});

export const beginFirstSignIn = defineCall({
  method: "POST",
  path: "/admin/setup/login",
  policy: "public",
  summary: "Start the sign-in that makes its account the first administrator",
  body: z.strictObject({ code: setupCodeSchema }),
  data: z.object({ authUrl: z.url() }),
});

export const beginFirstDeviceSignIn = defineCall({
  method: "POST",
  path: "/admin/setup/device",
  policy: "public",
  summary: "Start that sign-in by a code, without a return to this address",
  body: z.strictObject({ code: setupCodeSchema }),
  data: deviceSignInSchema,
});
