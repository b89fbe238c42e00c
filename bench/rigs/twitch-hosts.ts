import { createServer } from "node:https";
import { request as requestPlain, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { listen } from "#stand-ins/listen.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";

const MEDIA_HOST = "d2nvs31859zcd8.cloudfront.net";
const PICTURE_HOST = "static-cdn.jtvnw.net";

/** What each of Twitch's hosts serves (docs/twitch.md). */
const SERVED: Readonly<Record<string, RegExp>> = {
  "id.twitch.tv": /^\/oauth2\//,
  "api.twitch.tv": /^\/helix\//,
  "gql.twitch.tv": /^\/gql$/,
  "usher.ttvnw.net": /^\/vod\//,
  [MEDIA_HOST]: /^\/media\//,
  [PICTURE_HOST]: /^\/cf_vods\//,
};

/** The stand-in behind a server that plays Twitch's hosts over TLS, each with its own paths only. */
export async function startTwitchHosts() {
  const standIn = await startTwitchStandIn({
    addresses: {
      signIn: "https://id.twitch.tv",
      media: `https://${MEDIA_HOST}`,
      pictures: `https://${PICTURE_HOST}`,
    },
  });
  /** Hosts that answered, and addresses that no host has. */
  const asked = new Set<string>();
  const refused: string[] = [];
  const pending = new Set<Promise<void>>();

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = incoming;
    const { host = "" } = headers;
    if (SERVED[host]?.test(url.split("?")[0] ?? "") !== true) {
      refused.push(`https://${host}${url}`);
      response.writeHead(404).end();
      return;
    }
    asked.add(host);
    const outgoing = requestPlain(`${standIn.url}${url}`, { method, headers });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
    });
    await pipeline(incoming, outgoing);
    const answer = await answered;
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    await pipeline(answer, response);
  }

  const server = createServer(TWITCH_CERTIFICATE, (incoming, response) => {
    const passed = pass(incoming, response)
      .catch(() => response.destroy())
      .then(() => void pending.delete(passed));
    pending.add(passed);
  });
  const port = await listen(server);
  return {
    standIn,
    port,
    asked,
    refused,
    everyHost: Object.keys(SERVED),
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(pending);
      await standIn.close();
    },
  };
}

/** For tests only: signed by itself, for the hosts in twitch-hosts.ts, valid until 2126. */
export const TWITCH_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgd2U1FTkBKFfhD70R
us6jzixY7WInH1H7s8C/v9NNy9yhRANCAAQUTl+MSK6mFyaEQ8X9hnH6EKEPBe+I
g/h7Md4ZD/1u2yRSGJTqS5xDwIHfTaaowe3HEBeJ+kOuHolKcXGtrUL1
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIB2TCCAX6gAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBUd2l0Y2gg
Zm9yIHRlc3RzMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBBUd2l0Y2ggZm9yIHRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEFE5fjEiuphcmhEPF/YZx+hChDwXviIP4ezHeGQ/9btskUhiU6kucQ8CB302m
qMHtxxAXifpDrh6JSnFxra1C9aOBsDCBrTAPBgNVHRMBAf8EBTADAQH/MHsGA1Ud
EQR0MHKCDGlkLnR3aXRjaC50doINYXBpLnR3aXRjaC50doINZ3FsLnR3aXRjaC50
doIPdXNoZXIudHR2bncubmV0gh1kMm52czMxODU5emNkOC5jbG91ZGZyb250Lm5l
dIIUc3RhdGljLWNkbi5qdHZudy5uZXQwHQYDVR0OBBYEFCFTS+pLw0Kex3vlDS/G
up5Zat/DMAoGCCqGSM49BAMCA0kAMEYCIQCIoyHDuBG5lzurpgE7aP8YTOpdi2ce
hTgHncvO4E8H7gIhAIoHGS+POaYzhsZBicEniQed+Plhg4+YugWq/KyOCzkc
-----END CERTIFICATE-----
`,
};
