import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../listen.ts";

/** What an address of the origin answers with. */
export type OriginFile =
  | {
      readonly bytes: Uint8Array;
      readonly type: string;
      /** Without a tag, the file has no ETag; without a date, no Last-Modified. */
      readonly etag?: string;
      readonly modifiedAt?: Date;
      /** False for a host without range requests. */
      readonly ranges?: boolean;
      /** True for a host that serves ranges of a new version regardless of If-Range. */
      readonly ignoresIfRange?: boolean;
    }
  | { readonly redirectTo: string };

/** A plain web server on a free port of this machine, with files that tests put and replace. */
export type Origin = {
  /** Host and port. */
  readonly host: string;
  put(path: string, file: OriginFile): void;
  remove(path: string): void;
  /** Called before each answer, e.g. to replace a file in the middle of a copy. */
  onRequest(listener: (path: string, range: string | undefined) => void): void;
  close(): Promise<void>;
};

export async function startOrigin(): Promise<Origin> {
  const files = new Map<string, OriginFile>();
  let listener: ((path: string, range: string | undefined) => void) | null = null;
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://origin").pathname;
    listener?.(path, request.headers.range);
    answer(request, response, files.get(path));
  });
  const port = await listen(server);
  return {
    host: `127.0.0.1:${port}`,
    put: (path, file) => void files.set(path, file),
    remove: (path) => void files.delete(path),
    onRequest(next) {
      listener = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  file: OriginFile | undefined,
): void {
  if (file === undefined) {
    response.writeHead(404).end("Not found");
    return;
  }
  if ("redirectTo" in file) {
    response.writeHead(302, { location: file.redirectTo }).end();
    return;
  }
  const { bytes, type, etag, modifiedAt } = file;
  const lastModified = modifiedAt?.toUTCString();
  const headers = {
    "content-type": type,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { "last-modified": lastModified }),
  };
  const condition = request.headers["if-range"];
  const isCurrent =
    file.ignoresIfRange === true ||
    condition === undefined ||
    condition === etag ||
    condition === lastModified;
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  if (range === null || file.ranges === false || !isCurrent) {
    response.writeHead(200, { ...headers, "content-length": bytes.byteLength }).end(bytes);
    return;
  }
  const first = Number(range[1]);
  const end = Math.min(Number(range[2]) + 1, bytes.byteLength);
  if (first >= end) {
    response.writeHead(416, { "content-range": `bytes */${bytes.byteLength}` }).end();
    return;
  }
  response
    .writeHead(206, {
      ...headers,
      "content-length": end - first,
      "content-range": `bytes ${first}-${end - 1}/${bytes.byteLength}`,
    })
    .end(bytes.subarray(first, end));
}
