import { describe, expect, it } from "vitest";
import { LOG_LEVELS } from "#contract/values.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { LogLevel } from "#service/ports/log-sink.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { openSqliteDatabase } from "./database.ts";
import { createLogSink } from "./log-sink.ts";

const record = (level: LogLevel, message: string, meta: Record<string, unknown> = {}) => ({
  level,
  at: new Date("2026-11-20T10:00:00Z"),
  message,
  meta,
});

function openSink(isTTY = false) {
  const lines: string[] = [];
  const sink = createLogSink(systemClock, { isTTY, write: (text) => lines.push(text) });
  return { sink, lines };
}

describe("the log sink", () => {
  it("prints one line of JSON per record, except for debug records", () => {
    const { sink, lines } = openSink();
    sink.write(record("info", 'two\nlines "quoted"', { uploadId: "u1" }));
    sink.write(record("debug", "details"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      level: "info",
      timestamp: "2026-11-20T10:00:00.000Z",
      message: 'two\nlines "quoted"',
      meta: { uploadId: "u1" },
    });
  });

  it("prints priorities in the journal", () => {
    const lines: string[] = [];
    const output = { write: (text: string) => lines.push(text) };
    const sink = createLogSink(systemClock, output, { isJournal: true });
    for (const level of LOG_LEVELS) sink.write(record(level, "Something"));
    expect(lines.map((line) => line.slice(0, 4))).toEqual(["<3>{", "<4>{", "<6>{"]);
  });

  it("prints readable lines on a terminal", () => {
    const { sink, lines } = openSink(true);
    sink.write(record("warn", "Careful", { free: 3 }));
    expect(lines[0]).toContain("10:00:00 warn");
    expect(lines[0]).toContain('Careful {"free":3}');
  });

  it("stores every record, including those from before the database was available", async () => {
    const database = openSqliteDatabase(":memory:");
    await migrate(database, 0);
    const { sink } = openSink();
    sink.write(record("error", "early"));
    sink.storeIn(database);
    sink.write(record("debug", "later", { a: 1 }));
    await sink.flush();
    expect(await database.all(sql`SELECT level, message, meta FROM logs ORDER BY seq`)).toEqual([
      { level: "error", message: "early", meta: null },
      { level: "debug", message: "later", meta: '{"a":1}' },
    ]);
    await database.close();
  });

  it("buffers at most a thousand records and logs how many it could not store", async () => {
    const database = openSqliteDatabase(":memory:");
    await migrate(database, 0);
    const { sink } = openSink();
    for (let index = 0; index < 1_500; index++) sink.write(record("debug", String(index)));
    sink.storeIn(database);
    await sink.flush();
    const [last] = await database.all(sql`SELECT seq, message FROM logs ORDER BY seq DESC LIMIT 1`);
    expect(last).toEqual({ seq: 1_001, message: "500 log records were too many to be stored" });
    await database.close();
  });

  it("never throws, neither for a missing table nor for unserializable data", async () => {
    const database = openSqliteDatabase(":memory:");
    const { sink, lines } = openSink();
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    sink.storeIn(database);
    sink.write(record("error", "round", circle));
    await sink.flush();
    expect(lines.at(-1)).toMatch(/could not be stored.*no such table/);
    await database.close();
  });
});
