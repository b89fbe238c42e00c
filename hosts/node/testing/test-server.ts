import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { breakable } from "../breakable-body.ts";
import { loadConsoleFiles } from "../console-files.ts";
import { consoleSecurityHeaders } from "../security-headers.ts";
import { listenOn } from "../server.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export const SCRIPT = "console.log('hello from the console')";
export const FILE_BYTES = 64 * 1024 * 1024;

export type TestServer = Awaited<ReturnType<typeof openTestServer>>;

/** A server with files of a console, and a service of few answers. */
export async function openTestServer() {
  const folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "assets"));
  await writeFile(join(folder.path, "index.html"), "<!doctype html><title>Console</title>");
  await writeFile(join(folder.path, "assets/app-a1b2.js"), SCRIPT);
  await writeFile(join(folder.path, "assets/app-a1b2.js.br"), brotliCompressSync(SCRIPT));
  const headers = consoleSecurityHeaders({ apiOrigins: [], imageOrigins: [] });
  const seen: Request[] = [];
  const broken: unknown[] = [];
  const server = await listenOn("127.0.0.1", 0);
  let breaking = new AbortController();

  async function answer(request: Request, info: { clientAddress: string }): Promise<Response> {
    seen.push(request);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/echo"))
      return Response.json({ body: await request.text(), address: info.clientAddress });
    if (pathname === "/media/file") return serveBreakable();
    if (pathname === "/media/lost") return new Response(lostStream());
    if (pathname === "/admin/stream") return new Response(endlessStream());
    return new Response("the service", { status: 404 });
  }

  function serveBreakable(): Response {
    breaking = new AbortController();
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024).fill(7)),
    });
    return new Response(breakable(source, FILE_BYTES, breaking.signal).body, {
      headers: { "content-length": String(FILE_BYTES) },
    });
  }

  server.serve({
    answer,
    consoleFiles: await loadConsoleFiles(folder.path, headers),
    loopbackOrigin: "http://localhost:8787",
    onBroken: (error) => void broken.push(error),
  });
  return {
    ...server,
    folder,
    origin: `http://127.0.0.1:${server.port}`,
    /** The service's. */
    answer,
    /** Requests that the service got. */
    seen,
    /** Reasons of bodies that broke off. */
    broken,
    /** Breaks off the file that is served. */
    break: (reason: Error) => breaking.abort(reason),
    /** Returns everything received until the server closes the connection. */
    async talk(...lines: readonly string[]): Promise<string> {
      const socket = connect(server.port, "127.0.0.1");
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
    async close() {
      await server.close();
      await folder.remove();
    },
  };
}

function lostStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new Error("the disk is gone")),
  });
}

function endlessStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("first")) });
}
