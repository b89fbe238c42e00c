import { expect, it } from "vitest";
import { openD1Database } from "./d1-database.ts";
import { bindings } from "./testing/bindings.ts";

/** A database that is moved during the first `times` queries. */
function movedDatabase(
  times: number,
  message = "D1_ERROR: Network connection lost.",
): { d1: D1Database; asked: () => number } {
  let asked = 0;
  function refuseAtFirst<T>(ask: () => Promise<T>): Promise<T> {
    asked += 1;
    return asked <= times ? Promise.reject(new Error(message)) : ask();
  }
  const d1 = new Proxy(bindings.DB, {
    get(target, name) {
      if (name === "batch")
        return (statements: D1PreparedStatement[]) => refuseAtFirst(() => target.batch(statements));
      if (name !== "prepare") return Reflect.get(target, name);
      return (text: string) =>
        new Proxy(target.prepare(text), {
          get: (statement, method) =>
            method === "run"
              ? () => refuseAtFirst(() => statement.run())
              : Reflect.get(statement, method),
        });
    },
  });
  return { d1, asked: () => asked };
}

it("a read is retried once after the database was moved", async () => {
  const once = movedDatabase(1);
  const rows = await openD1Database(once.d1).all({ sql: "SELECT 1 AS one", values: [] });
  expect([rows, once.asked()]).toEqual([[{ one: 1 }], 2]);
  const twice = movedDatabase(2);
  const reading = openD1Database(twice.d1).all({ sql: "SELECT 1 AS one", values: [] });
  await expect(reading).rejects.toMatchObject({
    name: "DatabaseError",
    kind: "unavailable",
    message: "D1_ERROR: Network connection lost.",
  });
});

it("an overloaded database is not asked again", async () => {
  const busy = movedDatabase(9, "D1_ERROR: D1 DB is overloaded. Too many requests queued.");
  const reading = openD1Database(busy.d1).all({ sql: "SELECT 1 AS one", values: [] });
  await expect(reading).rejects.toMatchObject({ kind: "unavailable" });
  expect(busy.asked()).toBe(1);
});

it("a write is never retried: it may have taken effect", async () => {
  const moved = movedDatabase(1);
  const writing = openD1Database(moved.d1).run({ sql: "DELETE FROM things", values: [] });
  await expect(writing).rejects.toThrow("connection lost");
  expect(moved.asked()).toBe(1);
});

it.each([
  ["D1_ERROR: D1 DB is overloaded. Requests queued for too long.", "unavailable"],
  ["D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.", "unavailable"],
  ["D1_ERROR: internal error; reference = abc", "unavailable"],
  ["Cannot resolve D1 DB due to transient issue on remote node.", "unavailable"],
  ["D1_ERROR: database is locked: SQLITE_BUSY", "unavailable"],
  ["D1_ERROR: words that nobody knows yet", "unavailable"],
  ["D1_ERROR: Exceeded maximum DB size", "full"],
])("%s is an outage, but an invalid statement is not", async (message, kind) => {
  const d1 = new Proxy(bindings.DB, {
    get: (target, name) =>
      name === "batch"
        ? () => Promise.reject(new Error(message))
        : (text: string) => target.prepare(text),
  });
  const writing = openD1Database(d1).batch([{ sql: "SELECT 1", values: [] }]);
  await expect(writing).rejects.toMatchObject({ kind });
  const faulty = openD1Database(bindings.DB).all({ sql: "SELECT nothing", values: [] });
  await expect(faulty).rejects.not.toHaveProperty("kind");
});
