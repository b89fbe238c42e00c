import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { once } from "node:events";
import { createOutgoingFetch, type OutgoingConnections } from "#hosts/node/outgoing-fetch.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listen } from "#stand-ins/listen.ts";
import { createMediaFetch, type MediaFetch, type MediaHosts } from "./media-fetch.ts";

/** A media host that redirects `/to?<address>`, never answers `/silence`, and records requests. */
let server: Server;
let host: string;
let seen: { url: string; headers: IncomingHttpHeaders }[];
let outgoing: OutgoingConnections;
let fetchMedia: MediaFetch;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    const url = request.url ?? "";
    seen.push({ url, headers: request.headers });
    if (url.startsWith("/to?")) {
      response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end("moved");
    } else if (url !== "/silence") {
      response.end("bytes");
    }
  });
  host = `127.0.0.1:${await listen(server)}`;
  outgoing = createOutgoingFetch();
  fetchMedia = createMediaFetch(outgoing.fetch, hosts(), 20_000);
});

afterEach(async () => {
  await outgoing.close();
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

function hosts(): MediaHosts {
  return { names: [host], setting: "MEDIA_HOSTS", unlisted: "try_later" };
}

const redirectTo = (address: string) => `http://${host}/to?${encodeURIComponent(address)}`;

it("sends the Range header but no identifying headers", async () => {
  await fetchMedia(`http://${host}/0.ts`, {
    headers: { Range: "bytes=0-9", Authorization: "Bearer secret", Cookie: "a=b", "X-Key": "k" },
  });
  expect(seen[0]?.headers).toMatchObject({ range: "bytes=0-9", "accept-encoding": "identity" });
  expect(seen[0]?.headers).not.toHaveProperty("authorization");
  expect(seen[0]?.headers).not.toHaveProperty("cookie");
  expect(seen[0]?.headers).not.toHaveProperty("x-key");
});

it("follows a redirect to an allowed address and returns the final URL", async () => {
  const { response, url } = await fetchMedia(redirectTo("/folder/0.ts"));
  expect(await response.text()).toBe("bytes");
  expect(url).toBe(`http://${host}/folder/0.ts`);
});

it.each([
  ["another host", "https://evil.example/0.ts", "try_later", /evil\.example, which MEDIA_HOSTS/],
  ["another port of this machine", "http://127.0.0.1:9/", "try_later", /127\.0\.0\.1:9/],
  ["another spelling", "http://[::ffff:127.0.0.1]:9/", "try_later", /::ffff:/],
  ["a file", "file:///etc/passwd", "source_corrupt", /not a web address/],
  ["an invalid URL", "http://[", "source_corrupt", /not a web address/],
])("does not follow a redirect to %s", async (_where, address, failureClass, message) => {
  await expect(fetchMedia(redirectTo(address))).rejects.toMatchObject({
    failureClass,
    message: expect.stringMatching(message),
  });
  expect(seen).toHaveLength(1);
});

it("follows three redirects but not a fourth", async () => {
  const third = redirectTo(redirectTo(redirectTo("/0.ts")));
  expect((await fetchMedia(third)).response.status).toBe(200);
  await expect(fetchMedia(redirectTo(third))).rejects.toMatchObject({
    failureClass: "source_corrupt",
  });
});

it("times out when the host does not respond", async () => {
  const hasty = createMediaFetch(outgoing.fetch, hosts(), 50);
  await expect(hasty(`http://${host}/silence`)).rejects.toMatchObject({
    failureClass: "try_later",
    message: "The media host did not respond within 0.05 s.",
  });
});

it("classifies a refused connection as try_later", async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(fetchMedia(`http://${host}/0.ts`)).rejects.toMatchObject({
    failureClass: "try_later",
  });
  await listen(server);
});
