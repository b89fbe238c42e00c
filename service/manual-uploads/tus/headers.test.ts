import { expect, test } from "vitest";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import { readMetadata } from "./headers.ts";

function metadataOf(name: string): string {
  return `filename ${Buffer.from(name).toString("base64")}`;
}

function shownNameOf(name: string): string {
  return readMetadata(new Headers({ "upload-metadata": metadataOf(name) })).filename;
}

test.for([
  ["holiday.mp4", "holiday.mp4"],
  ["C:\\films\\holiday.mp4", "holiday.mp4"],
  ["../..", "upload"],
  ["", "upload"],
  ["exe\u202egpm.mp4\r\n", "exegpm.mp4"],
  // macOS decomposes what a keyboard composes.
  ["U\u0308bung.mp4", "\u00dcbung.mp4"],
  [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.mp4",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.mp4",
  ],
  ["\u{1f469}\u200d\u{1f467}.mp4", "\u{1f469}\u200d\u{1f467}.mp4"],
  [`${"n".repeat(500)}.mp4`, `${"n".repeat(196)}.mp4`],
])("a file named %j is shown as %j", ([name = "", shown = ""]) => {
  expect(shownNameOf(name)).toBe(shown);
});

/** Characters that reverse text, are invisible, or separate folders. */
const STEERING = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/u;

test("no name is shown with steering characters, and others are shown composed", () => {
  for (const name of NAUGHTY_STRINGS) expect(shownNameOf(name)).not.toMatch(STEERING);
  const plain = NAUGHTY_STRINGS.map((name) => name.trim()).filter(
    (name) => !["", ".", ".."].includes(name) && name.length <= 200 && !STEERING.test(name),
  );
  expect(plain.map(shownNameOf)).toEqual(plain.map((name) => name.normalize("NFC")));
});
