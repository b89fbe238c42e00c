import { mkdir, rename, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { Agent, fetch as fetchWith } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { errorBodySchema } from "#contract/errors.ts";
import { ApiError } from "#service/api-error.ts";
import { readSettings } from "#service/settings.ts";
import { breakable } from "./breakable-body.ts";
import { readCertificate } from "./certificate.ts";
import { clientAddressReader } from "./client-address.ts";
import { loadConsoleFiles } from "./console-files.ts";
import { consoleSecurityHeaders } from "./security-headers.ts";
import { listenOn, type NodeServer } from "./server.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";
import { TEST_CERTIFICATE } from "./testing/test-certificate.ts";

const addressSchema = z.object({ address: z.string() });

const SCRIPT = "console.log('hello from the console')";

let folder: { path: string; remove(): Promise<void> };
let server: NodeServer;
let origin: string;
let seen: Request[];
let broken: unknown[];

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "assets"));
  await writeFile(join(folder.path, "index.html"), "<!doctype html><title>Console</title>");
  await writeFile(join(folder.path, "assets/app-a1b2.js"), SCRIPT);
  await writeFile(join(folder.path, "assets/app-a1b2.js.br"), brotliCompressSync(SCRIPT));
  const headers = consoleSecurityHeaders({ apiOrigins: [], imageOrigins: [] });
  seen = [];
  broken = [];
  server = await listenOn("127.0.0.1", 0);
  origin = `http://127.0.0.1:${server.port}`;
  server.serve({
    answer: answerForTest,
    consoleFiles: await loadConsoleFiles(folder.path, headers),
    loopbackOrigin: "http://localhost:8787",
    onBroken: (error) => void broken.push(error),
  });
});
afterEach(async () => {
  await server.close();
  await folder.remove();
});

async function answerForTest(request: Request, info: { clientAddress: string }): Promise<Response> {
  seen.push(request);
  const { pathname } = new URL(request.url);
  if (pathname.endsWith("/echo"))
    return Response.json({ body: await request.text(), address: info.clientAddress });
  if (pathname === "/media/file") return serveBreakable();
  if (pathname === "/media/lost") return new Response(lostStream());
  if (pathname === "/admin/stream") return new Response(endlessStream());
  return new Response("the service", { status: 404 });
}

const FILE_BYTES = 64 * 1024 * 1024;
let breaking: AbortController;

function serveBreakable(): Response {
  breaking = new AbortController();
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024).fill(7)),
  });
  return new Response(breakable(source, FILE_BYTES, breaking.signal).body, {
    headers: { "content-length": String(FILE_BYTES) },
  });
}

function lostStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new Error("the disk is gone")),
  });
}

function endlessStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("first")) });
}

/** Returns everything received until the server closes the connection. */
async function talk(...lines: readonly string[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("the console's files", () => {
  it.each(["/vodkeep", ""])(
    "are served below the sub-path if the proxy forwards it as %j",
    async (sent) => {
      await writeFile(
        join(folder.path, "index.html"),
        `<meta name="base-path" content="/"><script src="/assets/app-a1b2.js"></script>`,
      );
      const below = await listenOn("127.0.0.1", 0, { basePath: "/vodkeep" });
      below.serve({
        answer: answerForTest,
        consoleFiles: await loadConsoleFiles(folder.path, {}, "/vodkeep"),
      });
      const address = `http://127.0.0.1:${below.port}${sent}`;
      try {
        for (const path of ["/", "/uploads?page=2", "/index.html"])
          expect(await (await fetch(address + path)).text()).toBe(
            `<meta name="base-path" content="/vodkeep/"><script src="/vodkeep/assets/app-a1b2.js"></script>`,
          );
        expect(await (await fetch(`${address}/assets/app-a1b2.js`)).text()).toBe(SCRIPT);
        await fetch(`${address}/admin/users?page=1`);
        const { pathname, search } = new URL(seen.at(-1)?.url ?? "");
        expect(pathname + search).toBe("/admin/users?page=1");
      } finally {
        await below.close();
      }
    },
  );

  it("are served with a policy against inline code, framing and third-party scripts", async () => {
    const response = await fetch(`${origin}/`);
    expect(await response.text()).toContain("<title>Console</title>");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types mp4-worker");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });

  it("return the page for every console URL, revalidated on each use", async () => {
    const response = await fetch(`${origin}/uploads/some.user?status=failed`);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const again = await fetch(`${origin}/files`, {
      headers: { "if-none-match": response.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("are cached as immutable if their name contains a content hash", async () => {
    const headers = { "accept-encoding": "gzip, deflate, br" };
    const response = await fetch(`${origin}/assets/app-a1b2.js`, { headers });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(await response.text()).toBe(SCRIPT);
  });

  it("are sent uncompressed to clients without Brotli support", async () => {
    const headers = { "accept-encoding": "gzip, br;q=0" };
    const response = await fetch(`${origin}/assets/app-a1b2.js`, { headers });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe(SCRIPT);
  });

  it.for(["/.env", "/.git/config", "/console/.env"])("return 404 for %s", async (path) => {
    expect((await fetch(`${origin}${path}`)).status).toBe(404);
  });

  it("return 404 for a missing script and for path traversal", async () => {
    for (const path of ["/assets/gone.js", "/assets/..%2f..%2fetc%2fpasswd"])
      expect((await fetch(origin + path)).status).toBe(404);
  });

  it("redirect a browser from an IP address to the origin that a sign-in returns to", async () => {
    const navigation = { headers: { accept: "text/html,*/*" }, redirect: "manual" } as const;
    const page = await fetch(`${origin}/users?search=a`, navigation);
    expect(page.status).toBe(307);
    expect(page.headers.get("location")).toBe("http://localhost:8787/users?search=a");
    expect((await fetch(`${origin}/healthz`, navigation)).status).toBe(404);
    const named = await fetch(`http://localhost:${server.port}/users`, navigation);
    expect(named.status).toBe(200);
  });

  it("reject POST with 405", async () => {
    expect((await fetch(`${origin}/uploads`, { method: "POST" })).status).toBe(405);
  });
});

describe("requests to the service", () => {
  it.each(["/admin/x", "/healthz", "/readyz", "/openapi.json", "/metrics", "/media/a/b"])(
    "are answered at %s",
    async (path) => {
      expect(await (await fetch(origin + path)).text()).toBe("the service");
    },
  );

  it("are not answered at paths that only share a prefix", async () => {
    expect(await (await fetch(`${origin}/administrators`)).text()).toContain("<title>");
  });

  it("carry the body and the client's address", async () => {
    const response = await fetch(`${origin}/admin/echo`, { method: "POST", body: "ünïcode" });
    expect(await response.json()).toEqual({ body: "ünïcode", address: "127.0.0.1" });
  });

  it("take the client's address only from a trusted proxy", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    const asked = async () =>
      addressSchema.parse(await (await fetch(`${origin}/admin/echo`, { headers })).json()).address;
    expect(await asked()).toBe("127.0.0.1");
    const clientAddress = clientAddressReader(["127.0.0.0/8"]);
    server.serve({ answer: answerForTest, consoleFiles: null, clientAddress });
    expect(await asked()).toBe("203.0.113.9");
  });

  it("stream the response, and are aborted when the client disconnects", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${origin}/admin/stream`, { signal: leaving.signal });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    expect(seen[0]?.signal.aborted).toBe(false);
    leaving.abort();
    await expect.poll(() => seen[0]?.signal.aborted).toBe(true);
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
    breaking.abort(new Error("no longer allowed"));
    await expect.poll(() => broken).toEqual([new Error("no longer allowed")]);
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
    await expect(fetch(`${origin}/media/lost`)).rejects.toThrow("fetch failed");
    expect(broken).toEqual([new Error("the disk is gone")]);
  });
});

describe("the server", () => {
  it("rejects headers and URLs that are too long", async () => {
    const headers = { cookie: "a".repeat(20_000) };
    expect((await fetch(`${origin}/healthz`, { headers })).status).toBe(431);
    const tooLong = await fetch(`${origin}/admin/${"a".repeat(9_000)}`);
    expect(tooLong.status).toBe(414);
    expect(errorBodySchema.parse(await tooLong.json()).error.message).toContain("too long");
    expect(seen).toEqual([]);
  });

  it("answers non-HTTP data with 400 and closes the connection", async () => {
    expect(await talk("NOT HTTP AT ALL")).toMatch(/^HTTP\/1.1 400 /);
  });

  it("passes TRACE to the service, without echoing the request's headers", async () => {
    const answer = await talk("TRACE /admin/echo HTTP/1.1", "Host: x", "Cookie: a=secret");
    expect(answer).not.toContain("secret");
    expect(seen.map(({ method }) => method)).toEqual(["TRACE"]);
  });

  it("supports HTTP/1.0 clients", async () => {
    const answer = await talk("GET /assets/app-a1b2.js HTTP/1.0");
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
    hasty.serve({ answer: answerForTest, consoleFiles: null });
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
        const refused = await fetchWith(origin + target, {
          method: "POST",
          body,
          dispatcher: agent,
        });
        await refused.text();
        const next = await fetchWith(`${origin}/healthz`, { dispatcher: agent });
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
    const refused = await fetch(`${origin}/admin/uploads/manual`, { method: "POST", body });
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

  it("serves the scripts of the previous build, which open pages may still load", async () => {
    const kept = join(folder.path, "kept");
    await loadConsoleFiles(folder.path, {}, "", kept);
    await rename(join(folder.path, "assets/app-a1b2.js"), join(folder.path, "assets/app-c3d4.js"));
    const serve = await loadConsoleFiles(folder.path, {}, "", kept);
    for (const name of ["app-a1b2.js", "app-c3d4.js"]) {
      const response = await serve?.(new Request(`${origin}/assets/${name}`));
      expect(await response?.text()).toBe(SCRIPT);
    }
  });

  it("answers console requests beyond the rate limit with 429", async () => {
    const limited = await listenOn("127.0.0.1", 0);
    limited.serve({
      answer: answerForTest,
      consoleFiles: await loadConsoleFiles(folder.path, {}),
      takeConsoleFile: () => {
        throw new ApiError("rate_limited", "Please wait.", { retryAfterSec: 2.5 });
      },
    });
    const response = await fetch(`http://127.0.0.1:${limited.port}/uploads`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3"]);
    expect(errorBodySchema.parse(await response.json()).error.code).toBe("rate_limited");
    await limited.close();
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
    const response = await fetch(`${origin}/admin/stream`);
    await response.body?.getReader().read();
    const startedMs = performance.now();
    await server.close();
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});

describe("an event stream", () => {
  it("is sent without chunked encoding", async () => {
    const cutting = new AbortController();
    const response = await fetch(`${origin}/admin/stream`, {
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
    folder,
    Date.now(),
  );
  const secure = await listenOn("127.0.0.1", 0, { certificate: own });
  secure.serve({ answer: answerForTest, consoleFiles: null });
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
    expect(new URL(seen[0]?.url ?? "").protocol).toBe("https:");
    expect(await presented()).toBe("Vodkeep");
    secure.present(TEST_CERTIFICATE);
    expect(await presented()).toBe("localhost");
  } finally {
    await dispatcher.close();
    await secure.close();
  }
});
