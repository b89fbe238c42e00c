import { expect, test } from "vitest";
import { sniffMediaType } from "./media-type.ts";

test.each([
  ["\0\0\0\x18ftypisom", "video/mp4"],
  ["\0\0\0\x14ftypqt  ", "video/quicktime"],
  ["\0\0\0\x18ftypheic", "application/octet-stream"],
  ["\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x84webm", "video/webm"],
  ["\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x88matroska", "video/x-matroska"],
  ["G".padEnd(188, "x").repeat(3), "video/mp2t"],
  ["Good morning", "application/octet-stream"],
  ["<html><script>alert(1)</script>", "application/octet-stream"],
  ["<svg onload=alert(1)>", "application/octet-stream"],
  ["GIF89a", "application/octet-stream"],
  ["", "application/octet-stream"],
])("content starting with %j is detected as %s", (start, type) => {
  expect(sniffMediaType(Buffer.from(start, "latin1"))).toBe(type);
});
