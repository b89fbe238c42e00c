import { join } from "node:path";
import * as z from "zod/mini";
import { startChildProgram } from "./child-program.ts";

const addressesSchema = z.object({
  idUrl: z.string(),
  apiUrl: z.string(),
  gqlUrl: z.string(),
  usherUrl: z.string(),
  mediaHost: z.string(),
});

export type TwitchStandIn = {
  /** Settings that point the service at it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly imageOrigin: string;
  close(): void;
};

/** The stand-in's first account is administrator, as there is no other. */
const FIRST_ACCOUNT = "1001";

const CLIENT_ID = "standinclientid";
const CLIENT_SECRET = "standinclientsecret";

/**
 * Starts the Twitch stand-in as a child process and resolves when it serves. Its port and sign-ins
 * are kept in `dataDir`.
 */
export async function startTwitchStandIn(dataDir: string): Promise<TwitchStandIn> {
  const { message, close } = await startChildProgram(
    "twitch-stand-in-process",
    [CLIENT_ID, CLIENT_SECRET, join(dataDir, "twitch-stand-in.json")],
    addressesSchema,
  );
  return {
    settings: {
      TWITCH_CLIENT_ID: CLIENT_ID,
      TWITCH_CLIENT_SECRET: CLIENT_SECRET,
      TWITCH_ID_URL: message.idUrl,
      TWITCH_API_URL: message.apiUrl,
      TWITCH_GQL_URL: message.gqlUrl,
      TWITCH_USHER_URL: message.usherUrl,
      TWITCH_MEDIA_HOSTS: message.mediaHost,
      ADMIN_TWITCH_IDS: FIRST_ACCOUNT,
    },
    imageOrigin: new URL(message.idUrl).origin,
    close,
  };
}
