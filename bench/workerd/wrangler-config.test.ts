import { expect, it } from "vitest";
import { readWranglerConfig } from "../../scripts/wrangler-config.ts";

const config = readWranglerConfig();

it("redacts query strings, which may contain a ticket, in logs", () => {
  expect(config["observability"]).toMatchObject({ redact_query_string: true });
});

it("every producer and dead-letter queue has a consumer", () => {
  const { consumers } = config.queues;
  const consumed = consumers.map(({ queue }) => queue);
  const [vodResume] = consumers;
  expect(vodResume).toMatchObject({ max_batch_size: 1, max_batch_timeout: 0 });
  expect(consumed).toContain(vodResume?.["dead_letter_queue"]);
  expect(config.queues["producers"]).toEqual([{ binding: "VOD_RESUME", queue: vodResume?.queue }]);
});

it("no binding is marked as remote", () => {
  expect(JSON.stringify(config)).not.toContain('"remote":true');
});
