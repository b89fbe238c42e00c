import { expect, it } from "vitest";
import { readWranglerConfig } from "../../scripts/wrangler-config.ts";

const config = readWranglerConfig();

it("addresses are written to no log with their query, which may carry a ticket", () => {
  expect(config["observability"]).toMatchObject({ redact_query_string: true });
});

it("every queue that is sent to or given up to has a consumer", () => {
  const { consumers } = config.queues;
  const consumed = consumers.map(({ queue }) => queue);
  const [vodResume] = consumers;
  expect(vodResume).toMatchObject({ max_batch_size: 1, max_batch_timeout: 0 });
  expect(consumed).toContain(vodResume?.["dead_letter_queue"]);
  expect(config.queues["producers"]).toEqual([{ binding: "VOD_RESUME", queue: vodResume?.queue }]);
});

it("nothing in it needs an account to run here", () => {
  expect(JSON.stringify(config)).not.toContain('"remote":true');
});
