import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { fileErrorCode } from "./file-error.ts";

/** Answers a request with a file of the built console. */
export type ConsoleFiles = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => void;

type Encoding = "br" | "gzip";

type ConsoleFile = {
  readonly bytes: Buffer;
  readonly packed: ReadonlyMap<Encoding, Buffer>;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".map": "application/json; charset=utf-8",
};

const PACKED_SUFFIXES: readonly (readonly [string, Encoding])[] = [
  [".br", "br"],
  [".gz", "gzip"],
];

/** Vite includes a content hash in the names of files in this folder. */
const HASHED_FOLDER = "/assets/";

/**
 * Reads the whole build, about a megabyte, into memory once. Every page of the console is its
 * `index.html`, with its paths moved below the base path. Null when the console has not been built.
 */
export async function loadConsoleFiles(
  folder: string,
  securityHeaders: Readonly<Record<string, string>>,
  basePath = "",
): Promise<ConsoleFiles | null> {
  const files = await readConsole(folder);
  const built = files.get("/index.html");
  const index = built && placeBelow(basePath, built);
  if (index === undefined) return null;

  return (request, response, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { ...securityHeaders, allow: "GET, HEAD" }).end();
      return;
    }
    const file = path === "/index.html" || !looksLikeFile(path) ? index : files.get(path);
    if (file === undefined) {
      response
        .writeHead(404, { ...securityHeaders, "content-type": "text/plain; charset=utf-8" })
        .end("There is no such file.\n");
      return;
    }
    const headers = {
      ...securityHeaders,
      "cache-control": file.cacheControl,
      etag: file.etag,
      vary: "accept-encoding",
    };
    if (request.headers["if-none-match"] === file.etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const [encoding, bytes] = pickEncoding(file, request.headers["accept-encoding"] ?? "");
    response.writeHead(200, {
      ...headers,
      "content-type": file.type,
      "content-length": bytes.byteLength,
      ...(encoding === null ? {} : { "content-encoding": encoding }),
    });
    response.end(request.method === "HEAD" ? undefined : bytes);
  };
}

/** Only index.html contains absolute paths; scripts and styles reference each other relatively. */
function placeBelow(basePath: string, page: ConsoleFile): ConsoleFile {
  if (basePath === "") return page;
  const html = page.bytes.toString().replaceAll(/ (href|src|content)="\//g, ` $1="${basePath}/`);
  return describeFile("/index.html", page.type, Buffer.from(html), new Map());
}

/** A missing script must not be answered with index.html. */
function looksLikeFile(path: string): boolean {
  return path.startsWith(HASHED_FOLDER) || extname(path) in TYPES;
}

function pickEncoding(file: ConsoleFile, accepted: string): readonly [Encoding | null, Buffer] {
  for (const [encoding, bytes] of file.packed)
    if (new RegExp(`(^|[\\s,])${encoding}\\b(?!\\s*;\\s*q=0(\\.0+)?\\s*(,|$))`).test(accepted))
      return [encoding, bytes];
  return [null, file.bytes];
}

async function readConsole(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const paths = await listFiles(folder);
  const contents = new Map<string, Buffer>();
  for (const path of paths)
    contents.set(`/${relative(folder, path).split(sep).join("/")}`, await readFile(path));
  const files = new Map<string, ConsoleFile>();
  for (const [path, bytes] of contents) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const packed = new Map<Encoding, Buffer>();
    for (const [suffix, encoding] of PACKED_SUFFIXES) {
      const variant = contents.get(path + suffix);
      if (variant !== undefined) packed.set(encoding, variant);
    }
    files.set(path, describeFile(path, type, bytes, packed));
  }
  return files;
}

function describeFile(
  path: string,
  type: string,
  bytes: Buffer,
  packed: ConsoleFile["packed"],
): ConsoleFile {
  return {
    bytes,
    packed,
    type,
    // Weak: the compressed variants share it.
    etag: `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    cacheControl: path.startsWith(HASHED_FOLDER)
      ? "public, max-age=31536000, immutable"
      : "no-cache",
  };
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
