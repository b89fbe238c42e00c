import * as z from "zod/mini";
import { expect, test } from "vitest";
import { defineCall, type AnyCall } from "#contract/call.ts";
import { PROTOCOL_CALLS } from "#contract/manual-uploads.ts";
import { CALLS } from "#contract/registry.ts";
import { describeApi } from "./openapi.ts";
import { route, type Route } from "./route.ts";
import { createRouter, mountRoutes } from "./router.ts";

function callAt(method: AnyCall["method"], path: AnyCall["path"]): AnyCall {
  return defineCall({ method, path, policy: "public", summary: "", data: z.object({}) });
}

function served(calls: readonly AnyCall[]): Route[] {
  return calls.map((call) => route(call, async () => ({})));
}

/** A router whose answers tell the call and the parameters that were found. */
function mount(calls: readonly AnyCall[], routes = served(calls)) {
  const router = createRouter();
  mountRoutes(router, calls, routes, {
    methodOf: ({ method }) => method,
    serve: async ({ call }, params) => Response.json({ path: call.path, params }),
  });
  return router;
}

const foundSchema = z.object({ path: z.string(), params: z.record(z.string(), z.string()) });

test("a literal segment takes precedence over a parameter declared before it", async () => {
  const router = mount([
    callAt("GET", "/a/{id}"),
    callAt("GET", "/a/failed"),
    callAt("POST", "/a/retry"),
    callAt("GET", "/a/{id}/retry"),
    callAt("GET", "/a/failed/ids"),
    callAt("GET", "/f/{key+}"),
  ]);
  const find = async (path: string) => {
    const response = await router.request(`http://x${path}`);
    return response.ok ? foundSchema.parse(await response.json()).path : response.status;
  };
  expect(await find("/a/failed")).toBe("/a/failed");
  expect(await find("/a/7")).toBe("/a/{id}");
  expect(await find("/a/failed/ids")).toBe("/a/failed/ids");
  expect(await find("/a/failed/retry")).toBe("/a/{id}/retry");
  expect(await find("/f/a/b/c")).toBe("/f/{key+}");
  expect(await find("/a/retry")).toBe(405);
  for (const unknown of ["/a", "/a/", "/a/7/", "/f", "/f/", "/", "//a/7", "/A/7", "/%61/7"])
    expect(await find(unknown)).toBe(404);
});

test("a parameter is decoded exactly once", async () => {
  const router = mount([callAt("GET", "/a/{id}"), callAt("GET", "/f/{key+}")]);
  router.onError((error) => new Response(error.message, { status: 400 }));
  const paramsOf = async (path: string) =>
    foundSchema.parse(await (await router.request(`http://x${path}`)).json()).params;
  expect(await paramsOf("/a/%2541")).toEqual({ id: "%41" });
  expect(await paramsOf("/f/x%20y/%252e%2f")).toEqual({ key: "x y/%2e/" });
  for (const malformed of ["/a/%E0%A4%A", "/a/%", "/f/x/%ff"])
    expect(await (await router.request(`http://x${malformed}`)).text()).toContain(
      "not encoded correctly",
    );
});

test("mounting fails for missing, unknown and duplicate handlers", () => {
  const calls = [callAt("GET", "/a"), callAt("GET", "/b")];
  expect(() => mount(calls, served(calls.slice(0, 1)))).toThrow("no handler: GET /b");
  expect(() => mount(calls.slice(0, 1), served(calls))).toThrow("not part of the contract");
  expect(() => mount(calls, served([...calls, ...calls]))).toThrow("declared twice");
});

test("the OpenAPI document lists exactly the calls of the contract", () => {
  const document = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(describeApi("https://vods.example.org"));
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = [...CALLS, ...PROTOCOL_CALLS].map(
    (call) => `${call.method} ${call.path.replace("+}", "}")}`,
  );
  expect(described.sort()).toEqual(declared.sort());
});

test("the OpenAPI document states the range and the default of a parameter", () => {
  const parameterSchema = z.object({ name: z.string(), schema: z.unknown() });
  const document = z
    .object({ paths: z.object({ "/admin/r2/browse": z.object({ get: z.unknown() }) }) })
    .parse(describeApi("https://vods.example.org"));
  const { parameters } = z
    .object({ parameters: z.array(parameterSchema) })
    .parse(document.paths["/admin/r2/browse"].get);
  expect(parameters).toContainEqual({
    name: "limit",
    schema: { type: "integer", minimum: 1, maximum: 1_000, default: 25 },
  });
});
