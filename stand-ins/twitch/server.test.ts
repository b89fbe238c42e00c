import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createHmac } from "node:crypto";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "./server.ts";
import {
  appToken,
  clientId,
  clientSecret,
  downloadSource,
  getHelix,
  readJsonObject,
  signIn,
  sourceUrl,
} from "./testing/twitch-client.ts";

let standIn: TwitchStandIn;

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, seed: 7 });
});
afterEach(async () => {
  await standIn.close();
});

async function control(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${standIn.url}/_control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
}

test("closing ends stalled, slow and idle connections and frees the port", async () => {
  const vod = standIn.control.addVod({ segmentCount: 3, segmentSizeBytes: 200_000 });
  const url = await sourceUrl(standIn, vod.id);
  standIn.control.addFault({ match: { segmentIndex: 0 }, fault: { type: "stall" } });
  standIn.control.addFault({ match: { segmentIndex: 1 }, fault: { type: "slow" } });
  standIn.control.addFault({ match: { segmentIndex: 2 }, fault: { type: "delay", ms: 60_000 } });
  const downloads = [0, 1, 2].map(async (index) =>
    (await fetch(new URL(`${index}.ts`, url))).arrayBuffer().then(
      () => "whole",
      () => "cut off",
    ),
  );
  const ended = Promise.allSettled(downloads);
  await expect.poll(() => standIn.control.ledger().openMedia).toBe(3);
  await standIn.close();
  const outcomes = (await ended).map((result) =>
    result.status === "fulfilled" ? result.value : "cut off",
  );
  expect(outcomes).toEqual(["cut off", "cut off", "cut off"]);
  expect(standIn.control.ledger().openMedia).toBe(0);
  const next = await startTwitchStandIn({ clientId, clientSecret, port: standIn.port });
  expect(next.port).toBe(standIn.port);
  await next.close();
});

test("the same seed gives the same tokens", async () => {
  const twin = await startTwitchStandIn({ clientId, clientSecret, seed: 7 });
  const [first, second] = [await signIn(standIn, "1001"), await signIn(twin, "1001")];
  await twin.close();
  expect(first.accessToken).toBe(second.accessToken);
});

test("the ledger knows what was served, to the byte, and how many connections were open", async () => {
  const vod = standIn.control.addVod({ segmentCount: 5, segmentSizeBytes: [1_880, 3_760] });
  const { bytes } = await downloadSource(standIn, vod.id);
  const url = await sourceUrl(standIn, vod.id);
  await (await fetch(new URL("1.ts", url))).arrayBuffer();
  const served = standIn.control.served(vod.id);
  expect(served.requests).toBe(6);
  expect(served.sentBytes).toBe(bytes.byteLength + 3_760);
  expect(served.segments.get(1)).toEqual({ requests: 2, sentBytes: 7_520 });
  expect(standIn.control.requests({ vodId: vod.id, kind: "segment" })).toHaveLength(6);
  expect(standIn.control.ledger()).toMatchObject({ openMedia: 0, peakOpenMedia: 1 });
  expect(JSON.stringify(standIn.control.requests())).not.toContain("sig=");
  standIn.control.resetLedger();
  expect(standIn.control.ledger()).toMatchObject({ totalRequests: 0, totalSentBytes: 0 });
});

test("the control over HTTP makes VOD, fault, mute and digest, and shows the ledger", async () => {
  const made = await readJsonObject(
    await control("POST", "/vods", {
      container: "multi-init-fmp4",
      segmentCount: 4,
      segmentSizeBytes: 9_000,
    }),
  );
  const id = String(made["id"]);
  expect(made).toMatchObject({ segmentCount: 4, durationSec: 40, status: "RECORDED" });
  const fault = { match: { vodId: id, kind: "init" }, fault: { type: "status", status: 500 } };
  expect((await control("POST", "/faults", fault)).status).toBe(201);
  expect((await downloadSource(standIn, id)).refused).toEqual(["init-0.mp4"]);
  expect((await control("DELETE", "/faults")).status).toBe(204);
  const { bytes } = await downloadSource(standIn, id);
  const digest = await readJsonObject(await control("GET", `/vods/${id}/digest`));
  expect(digest).toMatchObject({ sizeBytes: bytes.byteLength, segments: 4, missing: [] });
  expect(await (await control("POST", `/vods/${id}/mute`, { indices: [0] })).json()).toMatchObject({
    muted: [0],
  });
  expect(await (await control("GET", `/ledger/${id}`)).json()).toMatchObject({ requests: 12 });
  expect((await control("DELETE", `/vods/${id}`)).status).toBe(204);
  expect((await control("GET", `/vods/${id}/digest`)).status).toBe(404);
});

test.each([
  ["/faults", { fault: { type: "nonsense" } }],
  ["/faults", { match: { vod: "1" }, fault: { type: "reset" } }],
  ["/faults", { match: { path: "(" }, fault: { type: "reset" } }],
  ["/faults", { fault: { type: "status" } }],
  ["/vods", { segments: 3 }],
  ["/settings", { pointsPerMinute: "many" }],
])("the control refuses %s %j and says why", async (path, body) => {
  const response = await control("POST", path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: expect.any(String) });
});

test("a web page of another origin cannot use the control with a plain form", async () => {
  const response = await fetch(`${standIn.url}/_control/faults`, {
    method: "POST",
    body: JSON.stringify({ match: {}, fault: { type: "reset" } }),
  });
  expect(response.status).toBe(415);
  expect(standIn.control.faults()).toEqual([]);
});

test("as a process it says when it is ready and goes on SIGTERM", async () => {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const child = spawn(process.execPath, [main], { env: { ...process.env, PORT: "0" } });
  const line = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  const ready: { ready: boolean; url: string } = JSON.parse(line);
  expect(ready.ready).toBe(true);
  expect((await fetch(`${ready.url}/_control/vods`)).status).toBe(200);
  const code = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  child.kill("SIGTERM");
  expect(await code).toBe(0);
});

type Received = { readonly headers: IncomingMessage["headers"]; readonly body: string };

/** A webhook receiver that answers challenges and records all messages. */
async function startReceiver(): Promise<{
  url: string;
  received: Received[];
  close: () => Promise<void>;
}> {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(Buffer.from(chunk));
    }
    const body = Buffer.concat(chunks).toString();
    received.push({ headers: request.headers, body });
    const message: { challenge?: string } = JSON.parse(body);
    response.setHeader("content-type", "text/plain");
    response.end(message.challenge ?? "");
  };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/eventsub`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

test("EventSub: challenge, signed events, duplicates, bad signatures, revocation", async () => {
  const receiver = await startReceiver();
  const token = await appToken(standIn);
  const secret = "a-secret-of-some-length";
  const subscribe = async (callback: string): Promise<Response> =>
    fetch(`${standIn.apiUrl}/eventsub/subscriptions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "client-id": clientId,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        type: "stream.online",
        version: "1",
        condition: { broadcaster_user_id: "1005" },
        transport: { method: "webhook", callback, secret },
      }),
    });
  expect((await subscribe("http://example.test/hook")).status).toBe(400);
  expect((await subscribe(receiver.url)).status).toBe(202);
  expect((await subscribe(receiver.url)).status).toBe(409);
  const statusOf = async (): Promise<unknown> => {
    const reply: { data: { status: string }[] } = JSON.parse(
      await (await getHelix(standIn, "/eventsub/subscriptions", token)).text(),
    );
    return reply.data[0]?.status;
  };
  await expect.poll(statusOf).toBe("enabled");

  const { control: powers } = standIn;
  await powers.sendEvent({ broadcasterId: "1005", messageId: "m-1" });
  await powers.sendEvent({ broadcasterId: "1005", messageId: "m-1" });
  await powers.sendEvent({ broadcasterId: "1005", badSignature: true, agedMs: 11 * 60_000 });
  await powers.sendEvent({ broadcasterId: "1005", messageType: "revocation" });
  expect(await powers.sendEvent({ broadcasterId: "1006" })).toEqual([]);
  const [, first, twin, bad, revoked] = receiver.received;
  await receiver.close();
  const isSigned = (message: Received | undefined): boolean => {
    const header = (name: string): string => String(message?.headers[`twitch-eventsub-${name}`]);
    const text = header("message-id") + header("message-timestamp") + (message?.body ?? "");
    const hmac = createHmac("sha256", secret).update(text).digest("hex");
    return header("message-signature") === `sha256=${hmac}`;
  };
  expect(isSigned(first)).toBe(true);
  expect(isSigned(bad)).toBe(false);
  expect(first?.headers["twitch-eventsub-message-id"]).toBe("m-1");
  expect(twin?.headers["twitch-eventsub-message-id"]).toBe("m-1");
  expect(JSON.parse(first?.body ?? "")).toMatchObject({
    event: { broadcaster_user_id: "1005", type: "live" },
  });
  expect(revoked?.headers["twitch-eventsub-message-type"]).toBe("revocation");
  expect(await statusOf()).toBe("authorization_revoked");
});
