import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { listen } from "#stand-ins/listen.ts";
import { createOutgoingFetch, type OutgoingConnections } from "./outgoing-fetch.ts";

describe("outgoing requests", () => {
  let outgoing: OutgoingConnections;
  let server: Server;
  let origin: string;
  let answer: RequestListener;

  beforeEach(async () => {
    outgoing = createOutgoingFetch();
    server = createServer((request, response) => answer(request, response));
    origin = `http://127.0.0.1:${await listen(server)}`;
  });
  afterEach(async () => {
    await outgoing.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("send method, headers and body, and return status, headers and bytes", async () => {
    answer = (request, response) => {
      response.writeHead(418, { "x-heard": `${request.method} ${request.headers["x-say"]}` });
      request.pipe(response);
    };
    const body = new Uint8Array([0, 255, 128]);
    const init = { method: "POST", headers: { "x-say": "hi" }, body };
    const response = await outgoing.fetch(`${origin}/a?b=c`, init);
    expect([response.status, response.headers.get("x-heard")]).toEqual([418, "POST hi"]);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body);
  });

  it("go through the proxy, but not to this machine nor to what NO_PROXY names", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const proxy = createServer((request, response) => void response.end(`proxy ${request.url}`));
    proxy.on("connect", (_request, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      proxy.emit("connection", socket);
    });
    vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${await listen(proxy)}`);
    vi.stubEnv("NO_PROXY", "lan.invalid,127.0.0.2");
    onTestFinished(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    const throughProxy = createOutgoingFetch();
    const guarded = createOutgoingFetch((_target, done) => done(new Error("checked here"), null));
    onTestFinished(async () => void (await Promise.all([throughProxy.close(), guarded.close()])));
    answer = (_request, response) => void response.end("direct");
    const far = await throughProxy.fetch("http://far.invalid/x");
    expect(await far.text()).toMatch(/^proxy .*\/x$/);
    expect(await (await throughProxy.fetch(origin)).text()).toBe("direct");
    const causes = await Promise.all(
      [throughProxy.fetch("http://nas.lan.invalid/"), guarded.fetch("http://far.invalid/")].map(
        (each) => each.catch(({ cause }: Error) => String(cause)),
      ),
    );
    expect(causes).toEqual([expect.stringContaining("nas.lan.invalid"), "Error: checked here"]);
    vi.stubEnv("HTTP_PROXY", "proxy:3128");
    expect(() => createOutgoingFetch()).toThrow("HTTP_PROXY must be an http or https address.");
  });

  it("set the content type of a form", async () => {
    answer = (request, response) => void response.end(request.headers["content-type"]);
    const init = { method: "POST", body: new URLSearchParams({ a: "b c" }) };
    const response = await outgoing.fetch(origin, init);
    expect(await response.text()).toMatch(/^application\/x-www-form-urlencoded/);
  });

  it("return a redirect instead of following it", async () => {
    answer = (_request, response) => void response.writeHead(302, { location: "/other" }).end();
    const response = await outgoing.fetch(origin);
    expect([response.status, response.headers.get("location")]).toEqual([302, "/other"]);
    await response.body?.cancel();
  });

  it("skip interim responses", async () => {
    answer = (_request, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end("body");
    };
    const response = await outgoing.fetch(origin);
    expect([response.status, await response.text()]).toEqual([200, "body"]);
  });

  it("keep multiple cookies separate", async () => {
    answer = (_request, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end();
    };
    expect((await outgoing.fetch(origin)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it("have no body for 204 responses and HEAD requests", async () => {
    answer = (_request, response) => void response.writeHead(204).end();
    expect((await outgoing.fetch(origin)).body).toBeNull();
    answer = (_request, response) => void response.end("body");
    expect((await outgoing.fetch(origin, { method: "HEAD" })).body).toBeNull();
  });

  it("apply backpressure for a slow reader, and resume afterwards", async () => {
    const size = 32 * 1024 * 1024;
    let sent = 0;
    answer = (_request, response) => {
      const chunk = Buffer.alloc(256 * 1024, 7);
      const more = (): void => {
        while (sent < size) {
          sent += chunk.byteLength;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    };
    const response = await outgoing.fetch(origin);
    let before = -1;
    await vi.waitFor(
      () => {
        const now = sent;
        const isQuiet = now === before;
        before = now;
        expect(isQuiet).toBe(true);
      },
      { interval: 200, timeout: 180_000 },
    );
    expect(sent).toBeLessThan(size);
    expect((await response.arrayBuffer()).byteLength).toBe(size);
  });

  it("are aborted with the caller's reason before the start, while waiting and midway", async () => {
    const reason = new Error("Enough");
    const early = outgoing.fetch(origin, { signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);

    const waiting = new AbortController();
    answer = () => waiting.abort(reason);
    await expect(outgoing.fetch(origin, { signal: waiting.signal })).rejects.toBe(reason);

    const half = new AbortController();
    answer = (_request, response) => void response.write("some");
    const response = await outgoing.fetch(origin, { signal: half.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    half.abort(reason);
    await expect(reader?.read()).rejects.toBe(reason);
  });

  it("fail when the connection breaks before or within the response", async () => {
    answer = (request) => request.socket.destroy();
    await expect(outgoing.fetch(origin)).rejects.toThrow("fetch failed");
    answer = (request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("short", () => request.socket.destroy());
    };
    const response = await outgoing.fetch(origin);
    await expect(response.text()).rejects.toThrow("fetch failed");
  });

  it("close the connection when the body is cancelled", async () => {
    let isClosed = false;
    answer = (request, response) => {
      request.socket.once("close", () => (isClosed = true));
      response.write("endless");
    };
    await (await outgoing.fetch(origin)).body?.cancel();
    await expect.poll(() => isClosed).toBe(true);
  });
});
