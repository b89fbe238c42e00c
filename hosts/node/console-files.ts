import { Hono, type Context } from "hono";
import { etag } from "hono/etag";
import { serveStatic } from "hono/serve-static";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileErrorCode } from "./file-error.ts";
import { keepAssets } from "./kept-assets.ts";

/** Answers a request with a file of the built console. */
export type ConsoleFiles = (request: Request) => Response | Promise<Response>;

const INDEX = "/index.html";

/** Vite includes a content hash in the names of files in this folder. */
const HASHED_FOLDER = "/assets/";

/** Addresses of pages may end in a name with a dot. */
const FILE_TYPES = /^\.(?:html|js|css|json|webmanifest|svg|png|ico|woff2|txt|map)$/;

/**
 * Reads the whole build, about a megabyte, into memory once. Every page of the console is its
 * `index.html`, with its paths moved below the base path. Null when the console has not been built.
 * With a folder `kept`, the assets of builds served until a day ago are served as well.
 */
export async function loadConsoleFiles(
  folder: string,
  securityHeaders: Readonly<Record<string, string>>,
  basePath = "",
  kept?: string,
): Promise<ConsoleFiles | null> {
  const files = await readFiles(folder);
  const index = files.get(INDEX);
  if (index === undefined) return null;
  if (kept !== undefined) {
    keepAssets(join(folder, HASHED_FOLDER), kept, Date.now());
    for (const [path, file] of await readFiles(kept)) {
      const address = HASHED_FOLDER + path.slice(1);
      if (!files.has(address)) files.set(address, file);
    }
  }
  if (basePath !== "") {
    files.set(INDEX, placeBelow(basePath, index));
    for (const suffix of [".br", ".gz"]) files.delete(INDEX + suffix);
  }
  const options = {
    root: "",
    join: (...parts: string[]) => parts.join(""),
    precompressed: true,
    getContent: async (path: string) => files.get(path) ?? null,
    onFound(path: string, c: Context) {
      const isHashed = path.startsWith(HASHED_FOLDER);
      c.header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
      c.header("vary", "accept-encoding");
    },
  };
  const serveFile = serveStatic(options);
  const servePage = serveStatic({ ...options, path: INDEX });

  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value);
  });
  app.get("*", etag({ weak: true }), (c, next) =>
    isFile(c.req.path) ? serveFile(c, next) : servePage(c, next),
  );
  app.get("*", (c) => c.text("There is no such file.\n", 404));
  app.all("*", (c) => c.body(null, 405, { allow: "GET, HEAD" }));
  return (request) => app.fetch(request);
}

/**
 * A missing script must not be answered with index.html, nor a path that scanners ask for, such as
 * `/.env`.
 */
function isFile(path: string): boolean {
  return path.includes("/.") || path.startsWith(HASHED_FOLDER) || FILE_TYPES.test(extname(path));
}

/** Only index.html contains absolute paths; scripts and styles reference each other relatively. */
function placeBelow(basePath: string, page: Uint8Array): Uint8Array<ArrayBuffer> {
  const html = new TextDecoder().decode(page);
  return new TextEncoder().encode(html.replaceAll(/ (href|src|content)="\//g, ` $1="${basePath}/`));
}

async function readFiles(folder: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(`/${relative(folder, path).split(sep).join("/")}`, await readFile(path));
    }
  } catch (error) {
    if (fileErrorCode(error) !== "ENOENT") throw error;
  }
  return files;
}
