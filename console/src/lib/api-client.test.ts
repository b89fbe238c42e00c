import { createServer, type IncomingMessage, type Server } from "node:http";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { adminSchema } from "#contract/auth.ts";
import { deleteFile, objectKeySchema } from "#contract/files.ts";
import { deleteUpload, listUploads } from "#contract/uploads.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { addressOf } from "#contract/call-request.ts";

/**
 * Runs the client against a real server with scripted answers. Only the browser's storage and
 * locks, which Node lacks, are faked.
 */
type Answer = { readonly status: number; readonly body: unknown; readonly dateMs?: number };

const TOKEN = "a".repeat(64);
const NEW_TOKEN = "b".repeat(64);
const ADMIN = {
  id: "1001",
  twitchId: "1001",
  login: "avery",
  displayName: "Avery",
  profileImageUrl: null,
  isAdmin: true,
  permissions: ["read:uploads"],
  deployment: "folder",
};
const LIST = { items: [], total: 0, page: 1, limit: 20, hasPrev: false, hasNext: false };
const UNAUTHENTICATED: Answer = {
  status: 401,
  body: { error: { code: "unauthenticated", message: "Please sign in again." } },
};

let server: Server;
let seen: { readonly path: string; readonly bearer: string | undefined }[];
let answer: (request: IncomingMessage) => Answer;

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? "", bearer: request.headers.authorization });
    const { status, body, dateMs = Date.now() } = answer(request);
    const date = new Date(dateMs).toUTCString();
    response
      .writeHead(status, { "content-type": "application/json", date })
      .end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  vi.stubEnv("VITE_API_URL", `http://127.0.0.1:${port}`);
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("navigator", {
    locks: { request: (_name: string, work: () => Promise<void>) => work() },
  });
  vi.resetModules();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await stopServer();
});

function stopServer(): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

function memoryStorage() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}

function okay(data: unknown, dateMs?: number): Answer {
  return { status: 200, body: { data }, ...(dateMs !== undefined && { dateMs }) };
}

function grant(nowMs = Date.now(), admin = ADMIN): Answer {
  const tokenExpiresAt = new Date(nowMs + 900_000).toISOString();
  return okay({ token: NEW_TOKEN, tokenExpiresAt, streamTicket: NEW_TOKEN, admin }, nowMs);
}

/** Reloads the modules for each test, because they read the API's address when loaded. */
async function loadClient() {
  const { call } = await import("./api-client.ts");
  const { session } = await import("./session-store.ts");
  return { call, session };
}

test("parses a response by the contract and sends the bearer token", async () => {
  localStorage.setItem("admin_token", TOKEN);
  answer = () => okay(LIST);
  const { call } = await loadClient();
  await expect(call(listUploads, { query: { page: 2, search: "a b" } })).resolves.toEqual(LIST);
  expect(seen).toEqual([{ path: "/admin/uploads?page=2&search=a%20b", bearer: `Bearer ${TOKEN}` }]);
});

/** As `boot.js` asks, with a bearer. */
function askEarly(bearer: string, response: Response): void {
  const address = `${import.meta.env.VITE_API_URL}${listUploads.path}`;
  const early = { bearer, response: Promise.resolve(response) };
  vi.stubGlobal("earlyAnswers", new Map([[address, early]]));
}

test("an answer asked for before the client was there is used once", async () => {
  localStorage.setItem("admin_token", TOKEN);
  answer = () => okay(LIST);
  askEarly(TOKEN, Response.json({ data: { ...LIST, total: 7 } }));
  const { call } = await loadClient();
  await expect(call(listUploads)).resolves.toMatchObject({ total: 7 });
  expect(seen).toEqual([]);
  await expect(call(listUploads)).resolves.toEqual(LIST);
});

test("an answer to another bearer is not used", async () => {
  localStorage.setItem("admin_token", TOKEN);
  answer = () => okay(LIST);
  askEarly(NEW_TOKEN, Response.json({ data: { ...LIST, total: 7 } }));
  const { call } = await loadClient();
  await expect(call(listUploads)).resolves.toEqual(LIST);
});

test("an early answer that refuses the bearer renews it", async () => {
  localStorage.setItem("admin_token", TOKEN);
  answer = ({ url }) => (url === "/admin/auth/refresh" ? grant() : okay(LIST));
  askEarly(TOKEN, Response.json(UNAUTHENTICATED.body, { status: 401 }));
  const { call } = await loadClient();
  await expect(call(listUploads)).resolves.toEqual(LIST);
  expect(localStorage.getItem("admin_token")).toBe(NEW_TOKEN);
});

test("rejects a response that violates the contract", async () => {
  answer = () => okay({ items: "many" });
  const { call } = await loadClient();
  await expect(call(listUploads)).rejects.toMatchObject({ code: "bad_answer" });
});

test("an error carries the server's code, message and details", async () => {
  const error = { code: "conflict", message: "It runs.", details: { id: "runs" } };
  answer = () => ({ status: 409, body: { error } });
  const { call } = await loadClient();
  const params = { id: uploadIdSchema.parse("u1") };
  await expect(call(deleteUpload, { params })).rejects.toMatchObject({ ...error, status: 409 });
});

test("a 401 triggers a single refresh, shared by concurrent calls", async () => {
  localStorage.setItem("admin_token", TOKEN);
  answer = (request) => {
    if (request.url === "/admin/auth/refresh") return grant();
    const isFresh = request.headers.authorization === `Bearer ${NEW_TOKEN}`;
    return isFresh ? okay(LIST) : UNAUTHENTICATED;
  };
  const { call, session } = await loadClient();
  await Promise.all([call(listUploads), call(listUploads), call(listUploads)]);
  expect(seen.filter(({ path }) => path === "/admin/auth/refresh")).toHaveLength(1);
  expect(localStorage.getItem("admin_token")).toBe(NEW_TOKEN);
  expect(session.state.status).toBe("signed-in");
});

test("a 401 without a successful refresh clears the stored session and signs out", async () => {
  localStorage.setItem("admin_token", TOKEN);
  localStorage.setItem("admin_user", "{}");
  answer = () => UNAUTHENTICATED;
  const { call, session } = await loadClient();
  await expect(call(listUploads)).rejects.toMatchObject({ status: 401 });
  expect(localStorage.getItem("admin_token")).toBeNull();
  expect(localStorage.getItem("admin_user")).toBeNull();
  expect(session.state).toEqual({ status: "signed-out", expired: true });
});

test.each(["a call", "a reload", "a reload with a bearer that the cookie contradicts"])(
  "a planted cookie of another user is signed out instead of adopted: %s",
  async (occasion) => {
    const other = { ...ADMIN, id: "666" };
    let isPlanted = true;
    answer = ({ url, headers }) => {
      if (url === "/admin/auth/logout") isPlanted = false;
      if (url === "/admin/auth/logout") return okay({});
      if (url === "/admin/auth/refresh" && isPlanted) return grant(Date.now(), other);
      if (url !== "/admin/auth/validate") return UNAUTHENTICATED;
      const valid = isPlanted && headers.authorization === undefined;
      return okay({ valid, admin: valid ? other : null });
    };
    const { call, session } = await loadClient();
    const { setSignedIn } = await import("./session-store.ts");
    const { checkSession } = await import("./session.ts");
    setSignedIn(adminSchema.parse(ADMIN));
    if (occasion !== "a reload") localStorage.setItem("admin_token", TOKEN);
    await (occasion === "a call" ? call(listUploads).catch(() => null) : checkSession());
    expect(isPlanted).toBe(false);
    expect(session.state.status).toBe("signed-out");
    await checkSession();
    expect(session.state.status).toBe("signed-out");
  },
);

test("a bearer token about to expire is refreshed before use", async () => {
  localStorage.setItem("admin_token", TOKEN);
  localStorage.setItem("admin_token_expires_at", new Date(Date.now() + 5_000).toISOString());
  answer = (request) => (request.url === "/admin/auth/refresh" ? grant() : okay(LIST));
  const { call } = await loadClient();
  await call(listUploads);
  expect(seen.map(({ path, bearer }) => [path, bearer])).toEqual([
    ["/admin/auth/refresh", undefined],
    ["/admin/uploads", `Bearer ${NEW_TOKEN}`],
  ]);
});

test.each([-20, 20])(
  "a bearer is renewed once if the server's clock differs by %i min",
  async (minutes) => {
    const serverNowMs = Date.now() + minutes * 60_000;
    localStorage.setItem("admin_token", TOKEN);
    localStorage.setItem("admin_token_expires_at", new Date(0).toISOString());
    answer = (request) =>
      request.url === "/admin/auth/refresh" ? grant(serverNowMs) : okay(LIST, serverNowMs);
    const { call } = await loadClient();
    for (let count = 0; count < 3; count += 1) await call(listUploads);
    expect(seen.filter(({ path }) => path === "/admin/auth/refresh")).toHaveLength(1);
    const { serverNowMs: now } = await import("./server-clock.ts");
    expect(Math.abs(now() - serverNowMs)).toBeLessThan(60_000);
  },
);

test("a 403 does not sign out, but reloads the permissions", async () => {
  localStorage.setItem("admin_token", TOKEN);
  const admin = { ...ADMIN, isAdmin: false, permissions: [] };
  answer = (request) =>
    request.url === "/admin/auth/validate"
      ? okay({ valid: true, admin })
      : { status: 403, body: { error: { code: "forbidden", message: "You may not." } } };
  const { call, session } = await loadClient();
  await expect(call(listUploads)).rejects.toMatchObject({ code: "forbidden" });
  await expect.poll(() => session.state).toEqual({ status: "signed-in", admin });
  expect(localStorage.getItem("admin_token")).toBe(TOKEN);
});

test("a call times out after 10 s", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  const { call } = await loadClient();
  await expect(call(listUploads)).rejects.toMatchObject({ code: "timeout" });
  expect(timeout).toHaveBeenCalledExactlyOnceWith(10_000);
});

test("an unreachable server is reported as offline, with a readable message", async () => {
  await stopServer();
  const { call } = await loadClient();
  await expect(call(listUploads)).rejects.toMatchObject({
    code: "offline",
    message: "The server can't be reached.",
  });
});

test("the segments of a key are encoded separately", () => {
  const key = objectKeySchema.parse("vods/1/2/a.ts");
  expect(addressOf(deleteFile, { params: { key } })).toContain("/admin/r2/file/vods/1/2/a.ts");
  expect(addressOf(deleteFile, { params: { key: "a b/c#d%/é" } })).toContain(
    "/admin/r2/file/a%20b/c%23d%25/%C3%A9",
  );
});
