import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildFile } from "#contract/testing/build-file.ts";
import { attachmentHeader } from "#service/http/content-disposition.ts";
import { trickyText } from "#service/testing/tricky-text.ts";
import { downloadNameOf } from "./download-name.ts";
import type { FileRow } from "./file-row.ts";

const TITLE = "Sunrise approach, then coffee";

function fileOf(title: unknown, overrides: Parameters<typeof buildFile>[0] = {}): FileRow {
  const file = buildFile({
    filename: "pixelpilot-2000000003.ts",
    username: "pixelpilot",
    vodId: "2000000003",
    recordedAt: "2026-11-25T23:59:59.000Z",
    metadata: { title },
    ...overrides,
  });
  return { ...file, contentType: "video/mp2t", chatKey: null };
}

describe("the name of a download", () => {
  it("tells the channel, the day, the title and the VOD", () => {
    expect(downloadNameOf(fileOf(TITLE))).toBe(
      "pixelpilot - 2026-11-25 - Sunrise approach, then coffee [2000000003].ts",
    );
  });

  it("keeps the joiners of scripts and emoji, and composes letters", () => {
    expect(
      downloadNameOf(fileOf("\u06cc\u200c\u062e U\u0308 \u202e\u{1f469}\u200d\u{1f467}")),
    ).toContain("\u06cc\u200c\u062e \u00dc \u{1f469}\u200d\u{1f467} [2000000003].ts");
  });

  it.each([
    ["a manual upload", { uploadType: "manual" as const }],
    ["a file without a date", { recordedAt: null }],
  ])("is the file's own for %s", (_, overrides) => {
    expect(downloadNameOf(fileOf(TITLE, overrides))).toBe("pixelpilot-2000000003.ts");
  });

  it.each([
    ["../../etc/passwd\r\nSet-Cookie: a=b", "_.._etc_passwd Set-Cookie_ a=b"],
    ["take 3: 1/2?.mp4", "take 3_ 1_2_.mp4"],
    ["Right to left \u202Eexe.4pm\u202C", "Right to left exe.4pm"],
    ["CON", "_CON"],
    ["???.ts", "___.ts"],
    [`${"\u{1F680}".repeat(100)}.ts`, `${"\u{1F680}".repeat(44)}.ts`],
  ])("of a manual upload %j is %j", (filename, name) => {
    expect(downloadNameOf(fileOf(TITLE, { uploadType: "manual", filename }))).toBe(name);
  });

  it("is safe on every system and short, whatever the title is", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          trickyText,
          fc.string({ unit: "binary", maxLength: 400 }),
          fc.constant("x".repeat(300)),
          fc.constant("Family \u{1f469}\u200d\u{1f467}"),
        ),
        (title) => {
          const name = downloadNameOf(fileOf(title));
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(180);
          expect(name).toContain("2000000003");
          expect(name).not.toMatch(/[<>:"/\\|?*\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(name).not.toMatch(/^[ .]|[ .]\.ts$/);
          expect(name.isWellFormed()).toBe(true);
          // Browsers save under this name, unchanged.
          const [, encoded = ""] = attachmentHeader(name).split("UTF-8''");
          expect(decodeURIComponent(encoded)).toBe(name);
        },
      ),
      { numRuns: 500 },
    );
  });
});
