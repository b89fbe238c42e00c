import { expect, test } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import type { LogRecord } from "#service/ports/log-sink.ts";
import { createLogger } from "./logger.ts";

function logged(write: (log: ReturnType<typeof createLogger>) => void): LogRecord {
  const records: LogRecord[] = [];
  write(createLogger(systemClock, { write: (record) => records.push(record) }));
  const [record] = records;
  if (record === undefined) throw new Error("Nothing was logged");
  return record;
}

test("secrets are masked in messages, details and errors", () => {
  const bearer = "0123456789abcdef".repeat(4);
  const bot = "123456789:AAHfiqksKZ8WmR2zSjiQ7_v3b1x2y3z4w5v";
  const signature = "Zm9vYmFyYmF6cXV4";
  const record = logged((log) =>
    log.warn(`GET /stream?token=${bearer} failed`, {
      address: `https://api.telegram.org/bot${bot}/sendMessage`,
      deep: { list: [`sig=${signature}&x=1`, { authorization: `Bearer ${bearer}` }] },
      error: new Error(`refused ${bot}`, { cause: new Error(`Cookie ${bearer}`) }),
    }),
  );
  const text = JSON.stringify(record);
  for (const secret of [bearer, bot, signature]) expect(text).not.toContain(secret);
  expect(text).toContain("[masked]");
});

test("line breaks, terminal codes and bidirectional characters in messages are escaped", () => {
  const record = logged((log) =>
    log.info('a\n{"level":"error"}\u001b[31m\u202egpj.exe\ud800', { title: "x\r\n\u0000\u2066y" }),
  );
  expect(record.message).toBe('a\\u000a{"level":"error"}\\u001b[31m\\u202egpj.exe\ufffd');
  expect(record.meta).toEqual({ title: "x\\u000d\n\\u0000\\u2066y" });
});

test("huge and cyclic details are shortened", () => {
  const cycle: Record<string, unknown> = { big: 10n };
  cycle.self = cycle;
  const record = logged((log) =>
    log.error("x".repeat(1_000_000), {
      cycle,
      list: Array.from({ length: 10_000 }, (_, index) => index),
      text: "y".repeat(1_000_000),
    }),
  );
  expect(JSON.stringify(record).length).toBeLessThan(10_000);
  expect(record.meta.cycle).toMatchObject({ big: "10" });
});
