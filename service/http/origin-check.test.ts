import { afterAll, expect, test } from "vitest";
import { PROTOCOL_CALLS } from "#contract/manual-uploads.ts";
import { CALLS } from "#contract/registry.ts";
import { listUploads, retryUpload } from "#contract/uploads.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const CONSOLE = "https://console.vodkeep.example";

const vodkeep = await startTestService({
  settings: {
    PUBLIC_URL: "https://api.vodkeep.example",
    CONSOLE_URL: `${CONSOLE}, https://second.vodkeep.example`,
  },
});
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

const FOREIGN_ORIGINS = [
  "null",
  "https://evil.example",
  `${CONSOLE}.evil.example`,
  "https://evilconsole.vodkeep.example",
  `${CONSOLE}:8443`,
  `${CONSOLE}:443`,
  "http://console.vodkeep.example",
  "https://CONSOLE.vodkeep.example",
  "https://console.vodkeep.example.",
  `${CONSOLE}/`,
  "https://console.vodkeep.example@evil.example",
  "https://xn--cnsole-wta.vodkeep.example",
  "https://vodkeep.example",
  "file://",
] as const;

test.for(FOREIGN_ORIGINS)("all calls from the origin %s are rejected", async (origin) => {
  const tus = PROTOCOL_CALLS.filter(({ method }) => method !== "OPTIONS");
  for (const { method, path } of [...CALLS, ...tus]) {
    const response = await admin.send(method, addressOf({ path }), { headers: { origin } });
    expect(response.status).toBe(403);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    expect(response.headers.get("vary")).toContain("Origin");
    await response.body?.cancel();
  }
});

test.for([CONSOLE, "https://second.vodkeep.example", "https://api.vodkeep.example"])(
  "the origin %s may read and write with credentials",
  async (origin) => {
    const answer = await admin.call("GET", listUploads.path, { headers: { origin } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    const preflight = await admin.send("OPTIONS", "/admin/uploads/x/retry", {
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-methods")).toBe("POST");
    expect((await retry(admin, { origin })).status).toBe(404);
  },
);

function retry(client: TestClient, headers: Record<string, string>) {
  return client.call("POST", addressOf(retryUpload), { headers });
}

test("a write without Origin requires a bearer token or a same-site Sec-Fetch-Site header", async () => {
  expect((await retry(admin.cookieOnly(), { origin: "" })).status).toBe(403);
  expect((await retry(admin.bearerOnly(), { origin: "" })).status).toBe(404);
  expect((await retry(admin, { origin: "" })).status).toBe(404);
  for (const site of ["same-origin", "same-site"])
    expect((await retry(admin.cookieOnly(), { origin: "", "sec-fetch-site": site })).status).toBe(
      404,
    );
  for (const site of ["cross-site", "none"])
    expect((await retry(admin.cookieOnly(), { origin: "", "sec-fetch-site": site })).status).toBe(
      403,
    );
});

test.for([
  ["POST", "/admin/uploads/x/retry"],
  ["PUT", "/admin/users/x/permissions"],
  ["PATCH", "/admin/uploads/manual/x"],
  ["DELETE", "/admin/uploads/x"],
] as const)(
  "%s %s with only the cookie is rejected without an Origin header",
  async ([method, path]) => {
    const response = await admin.cookieOnly().send(method, path, { headers: { origin: "" } });
    expect(response.status).toBe(403);
  },
);

test("an image on another site cannot trigger a cost alert check", async () => {
  const answer = await admin.call("GET", "/admin/cost-alerts/check", {
    headers: { origin: "", "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" },
  });
  expect(answer.error?.code).toBe("forbidden");
});

test("an unlisted origin is accepted if Sec-Fetch-Site is same-origin", async () => {
  const headers = { origin: "http://127.0.0.1:8787", "sec-fetch-site": "same-origin" };
  expect((await retry(admin, headers)).status).toBe(404);
});

test("cookies over HTTPS have the __Host- prefix and are Secure, HttpOnly and SameSite=Strict", async () => {
  const response = await vodkeep.visitor().send("GET", "/admin/auth/login");
  const [cookie] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-vodkeep_login=[0-9a-f]{64}; /);
  for (const attribute of ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"])
    expect(cookie).toContain(attribute);
  expect(response.headers.get("strict-transport-security")).toContain("max-age=31536000");
  expect([...admin.cookies.keys()]).toEqual(["__Host-vodkeep_login", "__Host-vodkeep_session"]);
});
