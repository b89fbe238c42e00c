import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorBodySchema } from "#contract/errors.ts";
import { ApiError } from "#service/api-error.ts";
import { loadConsoleFiles } from "./console-files.ts";
import { listenOn } from "./server.ts";
import { openTestServer, SCRIPT, type TestServer } from "./testing/test-server.ts";

let server: TestServer;

beforeEach(async () => {
  server = await openTestServer();
});
afterEach(() => server.close());

describe("the console's files", () => {
  it.each(["/vodkeep", ""])(
    "are served below the sub-path if the proxy forwards it as %j",
    async (sent) => {
      await writeFile(
        join(server.folder.path, "index.html"),
        `<meta name="base-path" content="/"><script src="/assets/app-a1b2.js"></script>`,
      );
      const below = await listenOn("127.0.0.1", 0, { basePath: "/vodkeep" });
      below.serve({
        answer: server.answer,
        consoleFiles: await loadConsoleFiles(server.folder.path, {}, "/vodkeep"),
      });
      const address = `http://127.0.0.1:${below.port}${sent}`;
      try {
        for (const path of ["/", "/uploads?page=2", "/index.html"])
          expect(await (await fetch(address + path)).text()).toBe(
            `<meta name="base-path" content="/vodkeep/"><script src="/vodkeep/assets/app-a1b2.js"></script>`,
          );
        expect(await (await fetch(`${address}/assets/app-a1b2.js`)).text()).toBe(SCRIPT);
        await fetch(`${address}/admin/users?page=1`);
        const { pathname, search } = new URL(server.seen.at(-1)?.url ?? "");
        expect(pathname + search).toBe("/admin/users?page=1");
      } finally {
        await below.close();
      }
    },
  );

  it("are served with a policy against inline code, framing and third-party scripts", async () => {
    const response = await fetch(`${server.origin}/`);
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
    const response = await fetch(`${server.origin}/uploads/some.user?status=failed`);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const again = await fetch(`${server.origin}/files`, {
      headers: { "if-none-match": response.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("are cached as immutable if their name contains a content hash", async () => {
    const headers = { "accept-encoding": "gzip, deflate, br" };
    const response = await fetch(`${server.origin}/assets/app-a1b2.js`, { headers });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(await response.text()).toBe(SCRIPT);
  });

  it("are sent uncompressed to clients without Brotli support", async () => {
    const headers = { "accept-encoding": "gzip, br;q=0" };
    const response = await fetch(`${server.origin}/assets/app-a1b2.js`, { headers });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(await response.text()).toBe(SCRIPT);
  });

  it.for(["/.env", "/.git/config", "/console/.env"])("return 404 for %s", async (path) => {
    expect((await fetch(`${server.origin}${path}`)).status).toBe(404);
  });

  it("return 404 for a missing script and for path traversal", async () => {
    for (const path of ["/assets/gone.js", "/assets/..%2f..%2fetc%2fpasswd"])
      expect((await fetch(server.origin + path)).status).toBe(404);
  });

  it("redirect a browser from an IP address to the server.origin that a sign-in returns to", async () => {
    const navigation = { headers: { accept: "text/html,*/*" }, redirect: "manual" } as const;
    const page = await fetch(`${server.origin}/users?search=a`, navigation);
    expect(page.status).toBe(307);
    expect(page.headers.get("location")).toBe("http://localhost:8787/users?search=a");
    expect((await fetch(`${server.origin}/healthz`, navigation)).status).toBe(404);
    const named = await fetch(`http://localhost:${server.port}/users`, navigation);
    expect(named.status).toBe(200);
  });

  it("reject POST with 405", async () => {
    expect((await fetch(`${server.origin}/uploads`, { method: "POST" })).status).toBe(405);
  });

  it("serves the scripts of the previous build, which open pages may still load", async () => {
    const kept = join(server.folder.path, "kept");
    await loadConsoleFiles(server.folder.path, {}, "", kept);
    await rename(
      join(server.folder.path, "assets/app-a1b2.js"),
      join(server.folder.path, "assets/app-c3d4.js"),
    );
    const serve = await loadConsoleFiles(server.folder.path, {}, "", kept);
    for (const name of ["app-a1b2.js", "app-c3d4.js"]) {
      const response = await serve?.(new Request(`${server.origin}/assets/${name}`));
      expect(await response?.text()).toBe(SCRIPT);
    }
  });

  it("answers console requests beyond the rate limit with 429", async () => {
    const limited = await listenOn("127.0.0.1", 0);
    limited.serve({
      answer: server.answer,
      consoleFiles: await loadConsoleFiles(server.folder.path, {}),
      takeConsoleFile: () => {
        throw new ApiError("rate_limited", "Please wait.", { retryAfterSec: 2.5 });
      },
    });
    const response = await fetch(`http://127.0.0.1:${limited.port}/uploads`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3"]);
    expect(errorBodySchema.parse(await response.json()).error.code).toBe("rate_limited");
    await limited.close();
  });
});
