import type { Socket } from "node:net";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isDirectBody, type DirectBody, type ReceivedResponse } from "#service/ports/receive.ts";
import { listen } from "#stand-ins/listen.ts";
import { createMediaReceiver, type MediaReceiver } from "./media-receiver.ts";
import { startRawOrigin, writeInPieces, type RawOrigin } from "./testing/raw-origin.ts";
import { TEST_CERTIFICATE } from "./testing/test-certificate.ts";

const BODY = Buffer.from("0123456789abcdef");
const PLAIN = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 16\r\nETag: "a"\r\n\r\n${BODY}`);

let origin: RawOrigin;
let receiver: MediaReceiver;
/** Addresses that were asked for with `fetch` instead. */
let askedAgain: string[];
let answer: (socket: Socket, requestNumber: number) => void | Promise<void>;

beforeEach(async () => {
  origin = await startRawOrigin((socket, requestNumber) => answer(socket, requestNumber));
  askedAgain = [];
  receiver = createMediaReceiver(async (url) => {
    askedAgain.push(url);
    return new Response("by fetch");
  });
});

afterEach(async () => {
  receiver.close();
  await origin.close();
});

async function request(
  url = origin.url,
  signal = new AbortController().signal,
): Promise<ReceivedResponse> {
  const headers = new Headers({ range: "bytes=0-15" });
  return await receiver.receive(url, { headers, redirect: "manual", signal });
}

function directBody({ body }: ReceivedResponse): DirectBody {
  if (body === null || !isDirectBody(body)) throw new Error("This body is not direct");
  return body;
}

async function receiveWhole(): Promise<string> {
  const body = directBody(await request());
  const target = Buffer.alloc(body.sizeBytes);
  let received = 0;
  await body.receive(target, (count) => (received += count));
  expect(received).toBe(body.sizeBytes);
  return target.toString();
}

it("sends only the host, connection, encoding and requested headers", async () => {
  answer = (socket) => void socket.write(PLAIN);
  const response = await request();
  expect([response.status, response.headers.get("etag")]).toEqual([200, '"a"']);
  await response.body?.cancel();
  const { host } = new URL(origin.url);
  const lines = [
    "accept-encoding: identity",
    "connection: keep-alive",
    `host: ${host}`,
    "range: bytes=0-15",
  ];
  expect(origin.requests).toEqual([`GET /0.ts HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`]);
});

it("receives responses split at any byte, over one connection", async () => {
  answer = (socket, number) => writeInPieces(socket, PLAIN, [number]);
  for (let cut = 1; cut < PLAIN.byteLength; cut += 1) expect(await receiveWhole()).toBe(`${BODY}`);
  expect([origin.connections, askedAgain]).toEqual([1, []]);
});

it("receives a large body completely", async () => {
  const large = Buffer.alloc(20_000_000, "large body ");
  answer = (socket) => {
    socket.write(`HTTP/1.1 206 Partial Content\r\nContent-Length: ${large.byteLength}\r\n\r\n`);
    socket.write(large);
  };
  expect(Buffer.from(await receiveWhole()).equals(large)).toBe(true);
});

it("returns an error response without its body, and does not request it again", async () => {
  answer = (socket) =>
    void socket.write(
      "HTTP/1.1 429 Slow down\r\nRetry-After: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno",
    );
  const response = await request();
  expect([response.status, response.headers.get("retry-after"), response.body]).toEqual([
    429,
    "2",
    null,
  ]);
  expect([origin.requests.length, askedAgain]).toEqual([1, []]);
});

it("requests a refusal again with fetch, for its body, and other responses still directly", async () => {
  answer = (socket, number) =>
    void socket.write(number === 1 ? "HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno" : PLAIN);
  const { body } = await request();
  if (body === null || isDirectBody(body)) throw new Error("This body is direct");
  expect(await new Response(body).text()).toBe("by fetch");
  expect(await receiveWhole()).toBe(`${BODY}`);
  expect([origin.requests.length, askedAgain.length]).toEqual([2, 1]);
});

it.each([
  ["chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["encoded", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx"],
  ["without a length", "HTTP/1.1 200 OK\r\n\r\nbody"],
  ["interim", `HTTP/1.1 103 Early Hints\r\n\r\n${PLAIN}`],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"],
])(
  "falls back to fetch for a response that is %s, and from then on for its origin",
  async (_, bytes) => {
    answer = (socket) => void socket.write(bytes);
    for (let each = 0; each < 2; each += 1) {
      const { body } = await request();
      if (body === null || isDirectBody(body)) throw new Error("This body is direct");
      expect(await new Response(body).text()).toBe("by fetch");
    }
    expect([origin.requests.length, askedAgain.length]).toEqual([1, 2]);
  },
);

describe("connections", () => {
  it.each([
    ["bytes beyond the body", `${PLAIN}surplus`, []],
    ["a second response", `${PLAIN}${PLAIN}`, [PLAIN.byteLength]],
    [
      "Connection: close",
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 16\r\n\r\n${BODY}`,
      [],
    ],
  ])("are not reused after %s", async (_, bytes, cuts) => {
    let closings = 0;
    answer = async (socket) => {
      socket.once("close", () => (closings += 1));
      await writeInPieces(socket, Buffer.from(bytes), cuts);
    };
    expect(await receiveWhole()).toBe(`${BODY}`);
    // The rest of the pieces has arrived.
    await expect.poll(() => closings).toBe(1);
    expect(await receiveWhole()).toBe(`${BODY}`);
    expect([origin.connections, askedAgain]).toEqual([2, []]);
  });

  it("that the server closes while idle only cost a repeated request", async () => {
    answer = (socket, number) => void (number === 1 ? socket.write(PLAIN) : socket.destroy());
    await receiveWhole();
    expect((await request()).status).toBe(200);
    expect(askedAgain).toHaveLength(1);
  });

  it("are limited to 64 per origin; further requests use fetch", async () => {
    answer = (socket) => void socket.write(PLAIN);
    await Promise.all(Array.from({ length: 65 }, () => request()));
    expect([origin.connections, askedAgain.length]).toEqual([64, 1]);
  });
});

describe("hostile servers", () => {
  it("that send endless headers are abandoned in favour of fetch", async () => {
    answer = (socket) => {
      const more = (): boolean => socket.destroyed || !socket.write(`X: ${"x".repeat(1_000)}\r\n`);
      socket.write("HTTP/1.1 200 OK\r\n");
      socket.on("drain", more);
      while (!more());
    };
    await request();
    expect(askedAgain).toHaveLength(1);
  });

  it("that announce a huge body do not cause its allocation", async () => {
    answer = (socket) =>
      void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\nx");
    const body = directBody(await request());
    expect(body.sizeBytes).toBe(999_999_999_999_999);
    await body.cancel();
    await expect(body.receive(new Uint8Array(1), () => undefined)).rejects.toThrow("fetch failed");
  });

  it.each(["head", "body"])(
    "that drip the %s are aborted with the caller's reason",
    async (part) => {
      const enough = new AbortController();
      const reason = new Error("Enough");
      let dripped = 0;
      answer = (socket) => {
        const drip = (): void => {
          dripped += 1;
          if (dripped === 50) enough.abort(reason);
          if (!socket.destroyed) socket.write("x", () => setImmediate(drip));
        };
        socket.write(
          part === "head"
            ? "HTTP/1.1 200 OK\r\nX: "
            : "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n",
          drip,
        );
      };
      const receiving = (async () => {
        const body = directBody(await request(origin.url, enough.signal));
        await body.receive(new Uint8Array(body.sizeBytes), () => undefined);
      })();
      await expect(receiving).rejects.toBe(reason);
    },
  );

  it.each(["destroy", "resetAndDestroy"] as const)(
    "that %s the connection cause an error, before and within the body",
    async (end) => {
      answer = (socket) => void socket[end]();
      await expect(request()).rejects.toThrow("fetch failed");
      answer = (socket) => void socket.write(PLAIN.subarray(0, -1));
      const body = directBody(await request());
      const receiving = body.receive(new Uint8Array(16), (count) => {
        expect(count).toBeLessThan(16);
        receiver.close();
      });
      await expect(receiving).rejects.toThrow("fetch failed");
      expect(askedAgain).toEqual([]);
    },
  );

  it("that refuse connections cause an error", async () => {
    await origin.close();
    await expect(request()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    origin = await startRawOrigin(() => undefined);
  });
});

describe("encrypted connections", () => {
  it.each([
    ["that is self-signed", "localhost", false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["for another name", "127.0.0.1", true, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("with a certificate %s are rejected before any request", async (_, host, isTrusted, code) => {
    const { server, seen, port } = await openEncryptedServer();
    const trusted = getCACertificates();
    if (isTrusted) setDefaultCACertificates([TEST_CERTIFICATE.cert]);
    await expect(request(`https://${host}:${port}/`)).rejects.toMatchObject({ cause: { code } });
    expect([seen.requests, askedAgain]).toEqual([0, []]);
    setDefaultCACertificates(trusted);
    server.close();
  });

  it("with a valid certificate send the host name and are reused", async () => {
    const { server, seen, port } = await openEncryptedServer();
    const trusted = getCACertificates();
    setDefaultCACertificates([TEST_CERTIFICATE.cert]);
    for (let each = 0; each < 3; each += 1) {
      const body = directBody(await request(`https://localhost:${port}/`));
      const target = Buffer.alloc(body.sizeBytes);
      await body.receive(target, () => undefined);
      expect(target.toString()).toBe(`${BODY}`);
    }
    expect(seen).toEqual({ names: ["localhost"], requests: 3 });
    setDefaultCACertificates(trusted);
    server.close();
  });
});

async function openEncryptedServer() {
  const seen = { names: [] as (string | false | null)[], requests: 0 };
  const server = createServer(TEST_CERTIFICATE, (socket) => {
    seen.names.push(socket.servername);
    socket.on("error", () => undefined);
    socket.on("data", () => {
      seen.requests += 1;
      socket.write(PLAIN);
    });
  });
  return { server, seen, port: await listen(server) };
}
