import { createExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import worker from "./main.ts";
import { bindings } from "./testing/bindings.ts";

it("rejects a body sent to a console page with 405, without reading it", async () => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request<unknown, IncomingRequestCfProperties>(
    "https://vodkeep.test/uploads",
    {
      method: "POST",
      body,
    },
  );
  const response = await worker.fetch(request, bindings, createExecutionContext());
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(pulled).toBe(0);
});

it.for(["/.env", "/.git/config", "/assets/missing.js"])("returns 404 for %s", async (path) => {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://vodkeep.test${path}`);
  const response = await worker.fetch(request, bindings, createExecutionContext());
  expect(response.status).toBe(404);
});
