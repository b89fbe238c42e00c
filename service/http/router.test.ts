import * as z from "zod/mini";
import { expect, test } from "vitest";
import { defineCall, type AnyCall } from "#contract/call.ts";
import { PROTOCOL_CALLS } from "#contract/manual-uploads.ts";
import { CALLS } from "#contract/registry.ts";
import { describeApi } from "./openapi.ts";
import { route, type Route } from "./route.ts";
import { createRouter } from "./router.ts";

function callAt(method: AnyCall["method"], path: AnyCall["path"]): AnyCall {
  return defineCall({ method, path, policy: "public", summary: "", data: z.object({}) });
}

function served(calls: readonly AnyCall[]): Route[] {
  return calls.map((call) => route(call, async () => ({})));
}

test("a literal segment goes before a parameter, whatever the order of declaration", () => {
  const calls = [
    callAt("GET", "/a/{id}"),
    callAt("GET", "/a/failed"),
    callAt("GET", "/a/{id}/retry"),
    callAt("GET", "/a/failed/ids"),
    callAt("GET", "/f/{key+}"),
  ];
  const router = createRouter(calls, served(calls));
  const pathOf = (pathname: string) => {
    const match = router.find("GET", pathname);
    return match.kind === "found" ? match.route.call.path : match.kind;
  };
  expect(pathOf("/a/failed")).toBe("/a/failed");
  expect(pathOf("/a/7")).toBe("/a/{id}");
  expect(pathOf("/a/failed/ids")).toBe("/a/failed/ids");
  expect(pathOf("/a/failed/retry")).toBe("/a/{id}/retry");
  expect(pathOf("/f/a/b/c")).toBe("/f/{key+}");
  for (const unknown of ["/a", "/a/", "/a/7/", "/f", "/f/", "/", "//a/7", "/A/7"])
    expect(pathOf(unknown)).toBe("not_found");
});

test("a parameter is decoded exactly once", () => {
  const calls = [callAt("GET", "/a/{id}"), callAt("GET", "/f/{key+}")];
  const router = createRouter(calls, served(calls));
  const paramsOf = (pathname: string) => {
    const match = router.find("GET", pathname);
    return match.kind === "found" ? match.params : null;
  };
  expect(paramsOf("/a/%2541")).toEqual({ id: "%41" });
  expect(paramsOf("/f/x%20y/%252e")).toEqual({ key: "x y/%2e" });
  expect(() => paramsOf("/a/%E0%A4%A")).toThrow("not well encoded");
});

test("a start fails when a call has no handler, or a handler no call", () => {
  const calls = [callAt("GET", "/a"), callAt("GET", "/b")];
  expect(() => createRouter(calls, served(calls.slice(0, 1)))).toThrow("no handler: GET /b");
  expect(() => createRouter(calls.slice(0, 1), served(calls))).toThrow("not part of the contract");
  expect(() => createRouter(calls, served([...calls, ...calls]))).toThrow("declared twice");
});

test("the OpenAPI document names every call of the contract and no other", () => {
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

test("the OpenAPI document says which numbers a parameter takes, and what holds without it", () => {
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
