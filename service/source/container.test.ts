import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkUnitBytes, type UnitKind } from "./container.ts";

function box(type: string, payloadBytes = 0): Uint8Array {
  const bytes = new Uint8Array(8 + payloadBytes);
  new DataView(bytes.buffer).setUint32(0, bytes.byteLength);
  bytes.set(new TextEncoder().encode(type), 4);
  return bytes;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function packets(count: number): Uint8Array {
  const bytes = new Uint8Array(count * 188);
  for (let at = 0; at < bytes.byteLength; at += 188) bytes[at] = 0x47;
  return bytes;
}

const text = (value: string) => new TextEncoder().encode(value);
const init = join(box("ftyp", 16), box("moov", 600));
const fragment = join(box("styp", 8), box("sidx", 44), box("moof", 6_000), box("mdat", 5_000));

describe("checkUnitBytes", () => {
  it.each<[string, UnitKind, Uint8Array]>([
    ["MPEG-TS packets", "ts", packets(3)],
    ["an init section", "fmp4-init", init],
    ["a fragment whose moof is larger than 4 kB", "fmp4-fragment", fragment],
    ["a fragment that starts with an event box", "fmp4-fragment", join(box("emsg", 9), fragment)],
    ["several fragments in one unit", "fmp4-fragment", join(fragment, fragment)],
  ])("accepts %s", (_what, kind, bytes) => {
    expect(checkUnitBytes(kind, bytes)).toBeNull();
  });

  it.each<[string, UnitKind, Uint8Array, string]>([
    ["an empty body", "ts", new Uint8Array(0), "empty"],
    ["a web page", "ts", text("<!doctype html><title>Sorry</title>"), "page of text"],
    ["an error in XML", "ts", text("<?xml version='1.0'?><Error/>"), "page of text"],
    ["an error in JSON", "fmp4-fragment", text('{"error":"x"}'), "page of text"],
    ["a playlist", "fmp4-init", text("#EXTM3U\n"), "page of text"],
    ["a wrong first byte", "ts", packets(3).fill(0x46, 0, 1), "sync byte"],
    ["a packet without a sync byte", "ts", packets(3).fill(0, 188, 189), "at byte 188"],
    ["a body truncated inside a packet", "ts", packets(3).subarray(0, 500), "whole number"],
    ["fragmented MP4 declared as MPEG-TS", "ts", fragment, "MPEG-TS was due"],
    ["MPEG-TS declared as a fragment", "fmp4-fragment", packets(3), "fragmented MP4 was due"],
    ["an init section without a movie box", "fmp4-init", box("ftyp", 16), "movie box"],
    ["a fragment declared as an init section", "fmp4-init", fragment, "file type box"],
    ["an init section declared as a fragment", "fmp4-fragment", init, "movie fragment"],
    ["a fragment without media", "fmp4-fragment", box("moof", 90), "media data"],
    [
      "media data before its movie fragment box",
      "fmp4-fragment",
      join(box("styp"), box("mdat", 9), box("moof", 90)),
      "media data",
    ],
    ["a truncated fragment", "fmp4-fragment", fragment.subarray(0, -7), "breaks off 7 bytes"],
    ["a box without a size", "fmp4-fragment", join(box("styp"), new Uint8Array(7)), "size"],
    ["noise", "fmp4-fragment", text("NOTMEDIA and more of it"), "does not begin"],
  ])("reports a fault for %s", (_what, kind, bytes, words) => {
    expect(checkUnitBytes(kind, bytes)).toContain(words);
  });

  it("never accepts a truncated fragment", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: fragment.byteLength - 1 }), (length) => {
        expect(checkUnitBytes("fmp4-fragment", fragment.subarray(0, length))).not.toBeNull();
      }),
    );
  });

  it("never throws, whatever the bytes", () => {
    const kinds = fc.constantFrom<UnitKind>("ts", "fmp4-init", "fmp4-fragment");
    const boxes = fc
      .array(
        fc.tuple(
          fc.constantFrom("ftyp", "styp", "moof", "mdat", "moov", "????"),
          fc.nat(0xffffffff),
        ),
        { maxLength: 4 },
      )
      .map((list) =>
        join(
          ...list.map(([type, size]) => {
            const bytes = box(type, 8);
            new DataView(bytes.buffer).setUint32(0, size);
            return bytes;
          }),
        ),
      );
    fc.assert(
      fc.property(kinds, fc.oneof(fc.uint8Array({ maxLength: 600 }), boxes), (kind, bytes) => {
        const fault = checkUnitBytes(kind, bytes);
        expect(fault === null || fault.length > 5).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
