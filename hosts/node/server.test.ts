import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { Agent, fetch as fetchWith } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { errorBodySchema } from "#contract/errors.ts";
import { readSettings } from "#service/settings.ts";
import { readCertificate } from "./certificate.ts";
import { clientAddressReader } from "./client-address.ts";
import { listenOn } from "./server.ts";
import { TEST_CERTIFICATE } from "./testing/test-certificate.ts";
import { FILE_BYTES, openTestServer, SCRIPT, type TestServer } from "./testing/test-server.ts";

const addressSchema = z.object({ address: z.string() });

let server: TestServer;

beforeEach(async () => {
  server = await openTestServer();
});
afterEach(() => server.close());

describe("requests to the service", () => {
  it.each(["/admin/x", "/healthz", "/readyz", "/openapi.json", "/metrics", "/media/a/b"])(
    "are answered at %s",
    async (path) => {
      expect(await (await fetch(server.origin + path)).text()).toBe("the service");
    },
  );

  it("are not answered at paths that only share a prefix", async () => {
    expect(await (await fetch(`${server.origin}/administrators`)).text()).toContain("<title>");
  });

  it("carry the body and the client's address", async () => {
    const response = await fetch(`${server.origin}/admin/echo`, {
      method: "POST",
      body: "ünïcode",
    });
    expect(await response.json()).toEqual({ body: "ünïcode", address: "127.0.0.1" });
  });

  it("take the client's address only from a trusted proxy", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    const asked = async () =>
      addressSchema.parse(await (await fetch(`${server.origin}/admin/echo`, { headers })).json())
        .address;
    expect(await asked()).toBe("127.0.0.1");
    const clientAddress = clientAddressReader(["127.0.0.0/8"]);
    server.serve({ answer: server.answer, consoleFiles: null, clientAddress });
    expect(await asked()).toBe("203.0.113.9");
  });

  it("stream the response, and are aborted when the client disconnects", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${server.origin}/admin/stream`, { signal: leaving.signal });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    expect(server.seen[0]?.signal.aborted).toBe(false);
    leaving.abort();
    await expect.poll(() => server.seen[0]?.signal.aborted).toBe(true);
  });
});

describe("an aborted response body", () => {
  /** Reads the first chunk, then breaks off the body while the client does or does not read on. */
  it.each([
    ["while its client is reading", true],
    ["while its client is not reading", false],
  ])("closes the connection %s, without sending anything else", async (_, reads) => {
    const socket = connect(server.port, "127.0.0.1");
    const chunks: Buffer[] = [];
    const closed = new Promise((resolve) => socket.once("close", resolve));
    // The server may reset the connection when it cuts it.
    socket.on("error", () => undefined);
    socket.write("GET /media/file HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await new Promise<void>((resolve) => {
      socket.on("data", (chunk) => {
        if (!reads && chunks.length === 0) socket.pause();
        chunks.push(chunk);
        resolve();
      });
    });
    server.break(new Error("no longer allowed"));
    await expect.poll(() => server.broken).toEqual([new Error("no longer allowed")]);
    socket.resume();
    await closed;
    const bytes = Buffer.concat(chunks);
    const head = bytes.indexOf("\r\n\r\n") + 4;
    expect(bytes.subarray(0, head).toString()).toContain(`content-length: ${FILE_BYTES}`);
    const body = bytes.subarray(head);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(FILE_BYTES);
    expect(body.every((byte) => byte === 7)).toBe(true);
  });

  it("closes the connection before the first byte, and reports the reason only to the host", async () => {
    await expect(fetch(`${server.origin}/media/lost`)).rejects.toThrow("fetch failed");
    expect(server.broken).toEqual([new Error("the disk is gone")]);
  });
});

describe("the server", () => {
  it("rejects headers and URLs that are too long", async () => {
    const headers = { cookie: "a".repeat(20_000) };
    expect((await fetch(`${server.origin}/healthz`, { headers })).status).toBe(431);
    const tooLong = await fetch(`${server.origin}/admin/${"a".repeat(9_000)}`);
    expect(tooLong.status).toBe(414);
    expect(errorBodySchema.parse(await tooLong.json()).error.message).toContain("too long");
    expect(server.seen).toEqual([]);
  });

  it("answers non-HTTP data with 400 and closes the connection", async () => {
    expect(await server.talk("NOT HTTP AT ALL")).toMatch(/^HTTP\/1.1 400 /);
  });

  it("passes TRACE to the service, without echoing the request's headers", async () => {
    const answer = await server.talk("TRACE /admin/echo HTTP/1.1", "Host: x", "Cookie: a=secret");
    expect(answer).not.toContain("secret");
    expect(server.seen.map(({ method }) => method)).toEqual(["TRACE"]);
  });

  it("supports HTTP/1.0 clients", async () => {
    const answer = await server.talk("GET /assets/app-a1b2.js HTTP/1.0");
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer.split("\r\n\r\n")[1]).toBe(SCRIPT);
  });

  it("returns 503 until the service is ready", async () => {
    const early = await listenOn("127.0.0.1", 0);
    const response = await fetch(`http://127.0.0.1:${early.port}/healthz`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(errorBodySchema.parse(await response.json()).error.code).toBe("unavailable");
    await early.close();
  });

  it("closes a call whose body is late, but waits for the body of a file", async () => {
    const hasty = await listenOn("127.0.0.1", 0, { callBodyTimeoutMs: 200 });
    hasty.serve({ answer: server.answer, consoleFiles: null });
    const begin = (target: string) => {
      const socket = connect(hasty.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`);
      return { socket, closed: new Promise((resolve) => socket.once("close", resolve)) };
    };
    const file = begin("/admin/uploads/manual/echo");
    const call = begin("/admin/echo");
    await call.closed;
    const answered = new Promise((resolve) => file.socket.once("data", resolve));
    file.socket.write('"a": 1}\n');
    expect(String(await answered)).toContain('{\\"a\\": 1}');
    file.socket.destroy();
    await hasty.close();
  });

  it.each(["/uploads", "/admin/echo", "/admin/uploads/manual"])(
    "answers on after a refusal at %s whose body it did not read",
    async (path) => {
      const target = path === "/admin/echo" ? `${path}?${"a".repeat(9_000)}` : path;
      // A client with one connection sees at once whether the refusal has spoilt it.
      const agent = new Agent({ connections: 1 });
      const statuses: number[] = [];
      for (const sizeBytes of [1, 70_000, 300_000, 2_000_000, 20_000_000]) {
        const body = Buffer.alloc(sizeBytes);
        const refused = await fetchWith(server.origin + target, {
          method: "POST",
          body,
          dispatcher: agent,
        });
        await refused.text();
        const next = await fetchWith(`${server.origin}/healthz`, { dispatcher: agent });
        await next.text();
        statuses.push(refused.status, next.status);
      }
      const refusal = { "/uploads": 405, "/admin/echo": 414 }[path] ?? 404;
      expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? refusal : 404)));
      await agent.close();
    },
  );

  it.each([
    ["keeps the connection after refusing a short body", 2_000_000, "keep-alive"],
    ["closes the connection after refusing a long body", 20_000_000, "close"],
  ])("%s", async (_, sizeBytes, connection) => {
    const body = Buffer.alloc(sizeBytes);
    const refused = await fetch(`${server.origin}/admin/uploads/manual`, { method: "POST", body });
    expect([refused.status, refused.headers.get("connection")]).toEqual([404, connection]);
    await refused.text();
  });

  it.each(["/uploads", "/admin/uploads/manual"])(
    "discards a limited part of a body at %s",
    async (path) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000000\r\n\r\n`);
      const chunk = Buffer.alloc(1024 * 1024);
      const send = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", send);
      send();
      await closed;
      expect(socket.bytesWritten).toBeLessThan(32 * 1024 * 1024);
    },
  );

  it("disconnects a stalled client and cancels the response body", async () => {
    const impatient = await listenOn("127.0.0.1", 0, { stalledMs: 100 });
    const left = Promise.withResolvers<void>();
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
        cancel: () => left.resolve(),
      });
    impatient.serve({ answer: async () => new Response(endless()), consoleFiles: null });
    const socket = connect(impatient.port, "127.0.0.1");
    socket.on("error", () => undefined).pause();
    socket.write("GET /media/file HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect(left.promise).resolves.toBeUndefined();
    socket.destroy();
    await impatient.close();
  });

  it("closes an address's connections above the limit, and accepts others once some have ended", async () => {
    let isExempt = false;
    const limited = await listenOn("127.0.0.1", 0, {
      connections: { maxPerAddress: 3, isExempt: () => isExempt },
    });
    const connectTo = async () => {
      const socket = connect(limited.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    };
    const kept = [await connectTo(), await connectTo(), await connectTo()];
    const surplus = await connectTo();
    await once(surplus, "close");
    isExempt = true;
    const exempt = await connectTo();
    isExempt = false;
    kept[0]?.destroy();
    // The server sees the end somewhat later; until then it refuses.
    await expect
      .poll(
        async () => (await fetch(`http://127.0.0.1:${limited.port}/`).catch(() => null))?.status,
      )
      .toBe(503);
    for (const socket of [...kept, exempt]) socket.destroy();
    await limited.close();
  });

  it("names a port that is in use and a host that is not local", async () => {
    await expect(listenOn("127.0.0.1", server.port)).rejects.toThrow(
      `PORT ${server.port} on 127.0.0.1 is in use by another program.`,
    );
    await expect(listenOn("192.0.2.1", 0)).rejects.toThrow(
      "HOST 192.0.2.1 is not an address of this machine.",
    );
  });

  it("closes even if a stream is open", async () => {
    const response = await fetch(`${server.origin}/admin/stream`);
    await response.body?.getReader().read();
    const startedMs = performance.now();
    await server.close();
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});

describe("an event stream", () => {
  it("is sent without chunked encoding", async () => {
    const cutting = new AbortController();
    const response = await fetch(`${server.origin}/admin/stream`, {
      headers: { accept: "text/event-stream" },
      signal: cutting.signal,
    });
    expect(response.headers.get("transfer-encoding")).toBeNull();
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe("first");
    cutting.abort();
  });
});

it("speaks TLS with a certificate, and presents a new one to new connections", async () => {
  const own = await readCertificate(
    readSettings({ TLS: "self-signed", PUBLIC_URL: "https://nas.example" }),
    server.folder,
    Date.now(),
  );
  const secure = await listenOn("127.0.0.1", 0, { certificate: own });
  secure.serve({ answer: server.answer, consoleFiles: null });
  async function presented(): Promise<string> {
    const socket = connectTls({ port: secure.port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }
  const dispatcher = new Agent({ connect: { ca: own?.cert, servername: "nas.example" } });
  try {
    const answer = await fetchWith(`https://127.0.0.1:${secure.port}/echo`, { dispatcher });
    expect(answer.status).toBe(200);
    expect(new URL(server.seen[0]?.url ?? "").protocol).toBe("https:");
    expect(await presented()).toBe("Vodkeep");
    secure.present(TEST_CERTIFICATE);
    expect(await presented()).toBe("localhost");
  } finally {
    await dispatcher.close();
    await secure.close();
  }
});
