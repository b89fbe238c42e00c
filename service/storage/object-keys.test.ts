import { expect, test } from "vitest";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import { manualObjectKey } from "./object-keys.ts";

const FOLDER = "manual/7/abc/";

function keyOf(filename: string): string {
  return manualObjectKey({ ownerId: "7", uploadId: "abc" }, filename);
}

test.for([
  ["holiday.mp4", "holiday.mp4"],
  ["../../etc/passwd", "etc-passwd"],
  ["Mein Café (1).MP4", "Mein-Cafe-1.MP4"],
  ["..", "file"],
  [".mp4", "file.mp4"],
  [`${"n".repeat(500)}.mp4`, `${"n".repeat(96)}.mp4`],
])("%j is stored as %j", ([filename = "", name = ""]) => {
  expect(keyOf(filename)).toBe(FOLDER + name);
});

test("a key has only safe characters, whatever the file's name", () => {
  for (const name of NAUGHTY_STRINGS)
    expect(keyOf(name)).toMatch(/^manual\/7\/abc\/[A-Za-z0-9_-][\w.-]{0,99}$/);
});
