import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";

/** Always run from the sources: the build has no test servers. */
const PROGRAM = fileURLToPath(
  new URL("../../hosts/node/twitch-stand-in-process.ts", import.meta.url),
);

const addressesSchema = z.object({
  idUrl: z.string(),
  apiUrl: z.string(),
  gqlUrl: z.string(),
  usherUrl: z.string(),
  mediaHost: z.string(),
});

export type RunningStandIn = {
  /** Settings that point the service at it. */
  readonly settings: Readonly<Record<string, string>>;
  close(): void;
};

/** The stand-in's first account becomes administrator: with nobody else to sign in as. */
const FIRST_ACCOUNT = "1001";

const CLIENT_ID = "standinclientid";
const CLIENT_SECRET = "standinclientsecret";

/** Starts the Twitch stand-in as a child process and resolves when it serves. */
export function startStandInProcess(): Promise<RunningStandIn> {
  const child = fork(PROGRAM, [CLIENT_ID, CLIENT_SECRET], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`The Twitch stand-in ended with code ${code} before it served`)),
    );
    child.once("message", (message) => {
      const { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = addressesSchema.parse(message);
      resolve({
        settings: {
          TWITCH_CLIENT_ID: CLIENT_ID,
          TWITCH_CLIENT_SECRET: CLIENT_SECRET,
          TWITCH_ID_URL: idUrl,
          TWITCH_API_URL: apiUrl,
          TWITCH_GQL_URL: gqlUrl,
          TWITCH_USHER_URL: usherUrl,
          TWITCH_MEDIA_HOSTS: mediaHost,
          ADMIN_TWITCH_IDS: FIRST_ACCOUNT,
        },
        close: () => child.disconnect(),
      });
    });
  });
}
