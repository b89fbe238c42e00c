import { expect, it } from "vitest";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";
import { bindings } from "./testing/bindings.ts";
import { emptyDatabase } from "./testing/storage-slots.ts";

it("the service does not open on a schema older than the code, but opens on a newer one", async () => {
  const { DB_ALONE: database } = bindings;
  await emptyDatabase(database);
  const environment = Object.assign(
    { ...bindings },
    { DB: database, SECRET_KEY: "a key for tests, not for keeping" },
  );
  const open = async () => {
    const hosted = await openHostedService(environment, { scheduler: NO_SCHEDULER });
    await hosted.end();
    return "open";
  };

  await database
    .prepare("INSERT INTO migrations (name, applied_at) VALUES ('9999-of-later', 0)")
    .run();
  expect(await open()).toBe("open");
  await database
    .prepare("DELETE FROM migrations WHERE name = (SELECT min(name) FROM migrations)")
    .run();
  await expect(open()).rejects.toThrow("not yet brought the schema up to date");
});

it("all services of an isolate share their clients' rate limits for streams", async () => {
  const { DB_ALONE: database } = bindings;
  await emptyDatabase(database);
  const environment = Object.assign(
    { ...bindings },
    { DB: database, SECRET_KEY: "a key for tests, not for keeping", RATE_LIMIT_FACTOR: "0.1" },
  );
  const statuses: number[] = [];
  for (let count = 0; count < 30; count++) {
    const hosted = await openHostedService(environment, { scheduler: NO_SCHEDULER });
    const request = new Request("http://localhost:8787/admin/uploads/stream");
    const answer = await hosted.service.fetch(request, { clientAddress: "203.0.113.77" });
    statuses.push(answer.status);
    await hosted.end();
  }
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
  expect(statuses).toContain(429);
});
