import { expect, it } from "vitest";
import { openD1Database } from "./d1-database.ts";
import { bindings } from "./testing/bindings.ts";

/** A database that is moved while the first `times` questions are on their way to it. */
function movedDatabase(times: number): { d1: D1Database; asked: () => number } {
  let asked = 0;
  function refuseAtFirst<T>(ask: () => Promise<T>): Promise<T> {
    asked += 1;
    return asked <= times ? Promise.reject(new Error("D1_ERROR: Network connection lost.")) : ask();
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

it("a read is asked again when the database was moved, once", async () => {
  const once = movedDatabase(1);
  const rows = await openD1Database(once.d1).all({ sql: "SELECT 1 AS one", values: [] });
  expect([rows, once.asked()]).toEqual([[{ one: 1 }], 2]);
  const twice = movedDatabase(2);
  const reading = openD1Database(twice.d1).all({ sql: "SELECT 1 AS one", values: [] });
  await expect(reading).rejects.toThrow("connection lost");
});

it("a write is never asked again: it may have taken effect", async () => {
  const moved = movedDatabase(1);
  const writing = openD1Database(moved.d1).run({ sql: "DELETE FROM things", values: [] });
  await expect(writing).rejects.toThrow("connection lost");
  expect(moved.asked()).toBe(1);
});
