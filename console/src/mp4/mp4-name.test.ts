import { expect, test } from "vitest";
import { mp4NameOf } from "./mp4-name.ts";

test.each([
  ["pixelpilot-2000000002.ts", "pixelpilot-2000000002.mp4"],
  ["../../etc/passwd\r\nSet-Cookie: a=b", "etc passwd Set-Cookie a=b.mp4"],
  ["Right to left \u202Eexe.4pm\u202C", "Right to left exe.4pm.mp4"],
  ["CON", "video CON.mp4"],
  ["???", "video.mp4"],
  ["\u{1F680}".repeat(100), `${"\u{1F680}".repeat(45)}.mp4`],
])("%j is saved as %j", (title, name) => {
  expect(mp4NameOf(title)).toBe(name);
});

test("a clip has the name of its video and the time where it starts", () => {
  const name = "pixelpilot - 2026-11-25 - Sunrise approach [2000000003]";
  expect(mp4NameOf(`${name}.ts`, "1h2m3s")).toBe(`${name} - 1h2m3s.mp4`);
});
