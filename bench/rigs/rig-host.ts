import { findFreePort } from "#hosts/node/testing/free-port.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import * as z from "zod/mini";
import { signInAt } from "../sign-in.ts";
import type { Child } from "./child.ts";
import type { Killable } from "./killable.ts";

/** The stand-in's account that is the administrator in the rigs. */
export const RIG_ADMIN = "1001";

const addressesSchema = z.object({
  url: z.string(),
  idUrl: z.string(),
  apiUrl: z.string(),
  gqlUrl: z.string(),
  usherUrl: z.string(),
  mediaHost: z.string(),
});
export type RigHost = {
  readonly publicUrl: string;
  /** Starts the host as in production; it may be started again after its end. */
  startHost(): Promise<Child>;
  /** Signs in an account of the stand-in, by default the administrator. */
  signIn(accountId?: string): Promise<TestClient>;
  /** Queries the stand-in's control API, or posts `body` when given. */
  control<Schema extends z.core.$ZodType>(
    schema: Schema,
    path: string,
    body?: unknown,
  ): Promise<z.output<Schema>>;
};

/** Opens the real host, which archives from the stand-in's process. */
export async function openRigHost(host: Pick<Killable, "start">, twitch: Child): Promise<RigHost> {
  const addresses = addressesSchema.parse(twitch.ready);
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    publicUrl,
    async control(schema, path, body) {
      const response = await fetch(`${addresses.url}/_control/${path}`, {
        method: body === undefined ? "GET" : "POST",
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return z.parse(schema, await response.json());
    },
    startHost: () =>
      host.start({
        HOST: "127.0.0.1",
        PORT: String(port),
        PUBLIC_URL: publicUrl,
        TWITCH_CLIENT_ID: "standinclientid",
        TWITCH_CLIENT_SECRET: "standinclientsecret",
        TWITCH_ID_URL: addresses.idUrl,
        TWITCH_API_URL: addresses.apiUrl,
        TWITCH_GQL_URL: addresses.gqlUrl,
        TWITCH_USHER_URL: addresses.usherUrl,
        TWITCH_MEDIA_HOSTS: addresses.mediaHost,
        ADMIN_TWITCH_IDS: RIG_ADMIN,
        RATE_LIMIT_FACTOR: "100000",
        MONTHLY_BUDGET_USD: "1000000",
      }),
    signIn: (accountId = RIG_ADMIN) => signInAt(publicUrl, publicUrl, accountId),
  };
}
