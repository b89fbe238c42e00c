import { expect, it } from "vitest";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";
import { bindings } from "./testing/bindings.ts";
import { emptyDatabase } from "./testing/storage-slots.ts";

it("nothing is served on a schema older than the code, and all on a newer one", async () => {
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

  await database.prepare("INSERT INTO migrations VALUES ('9999-of-later', 0)").run();
  expect(await open()).toBe("open");
  await database
    .prepare("DELETE FROM migrations WHERE name = (SELECT min(name) FROM migrations)")
    .run();
  await expect(open()).rejects.toThrow("not yet brought the schema up to date");
});
