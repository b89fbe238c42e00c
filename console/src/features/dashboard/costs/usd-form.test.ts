import { expect, test } from "vitest";
import { readUsd } from "./usd-form.tsx";

test.each([
  ["25", 25],
  [" $1,250.50 ", 1_250.5],
  ["0.0001", 0.000_1],
  ["1000000", 1_000_000],
])("parses %j as an amount", (text, amountUsd) => {
  expect(readUsd(text)).toEqual({ amountUsd });
});

test.each(["", "0", "-5", "1e3", "5,5.", "1.23456", "1000001", "ten", "NaN"])(
  "rejects %j with a reason",
  (text) => {
    expect(readUsd(text)).toHaveProperty("fault");
  },
);
