import { serve } from "../serve.ts";

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
    }
  | { readonly redirectTo: string };

export type Origin = Awaited<ReturnType<typeof startOrigin>>;

/** A plain web server on a free port of this machine, with files that tests put and replace. */
export async function startOrigin() {
  const files = new Map<string, OriginFile>();
  let listener: ((path: string, range: string | undefined) => void) | null = null;
  const server = await serve({
    fetch(request: Request) {
      const path = new URL(request.url).pathname;
      listener?.(path, request.headers.get("range") ?? undefined);
      return answer(request, files.get(path));
    },
  });
  return {
    /** Host and port. */
    host: new URL(server.url).host,
    put: (path: string, file: OriginFile) => void files.set(path, file),
    remove: (path: string) => void files.delete(path),
    /** Called before each answer, e.g. to replace a file in the middle of a copy. */
    onRequest(next: typeof listener): void {
      listener = next;
    },
    close: () => server.close(),
  };
}

function answer(request: Request, file: OriginFile | undefined): Response {
  if (file === undefined) return new Response("Not found", { status: 404 });
  if ("redirectTo" in file)
    return new Response(null, { status: 302, headers: { location: file.redirectTo } });
  const { bytes, type, etag, modifiedAt } = file;
  const lastModified = modifiedAt?.toUTCString();
  const headers = {
    "content-type": type,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { "last-modified": lastModified }),
  };
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "");
  if (range === null || file.ranges === false)
    return new Response(bytes.slice(), {
      headers: { ...headers, "content-length": String(bytes.byteLength) },
    });
  const first = Number(range[1]);
  const end = Math.min(Number(range[2]) + 1, bytes.byteLength);
  if (first >= end) {
    const outside = { "content-range": `bytes */${bytes.byteLength}` };
    return new Response(null, { status: 416, headers: outside });
  }
  return new Response(bytes.slice(first, end), {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(end - first),
      "content-range": `bytes ${first}-${end - 1}/${bytes.byteLength}`,
    },
  });
}
