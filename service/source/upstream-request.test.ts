import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readText } from "./upstream-request.ts";

const bodyOf = (bytes: Uint8Array) => new Response(new Uint8Array(bytes));

describe("a response's text", () => {
  it("is decompressed even if compression was not requested", async () => {
    const text = "#EXTM3U\n#EXTINF:10.000,\nÄ.ts\n";
    expect(await readText(bodyOf(gzipSync(text)), "The host", 1_000)).toBe(text);
    expect(await readText(new Response(text), "The host", 1_000)).toBe(text);
  });

  it("is rejected when it is too large, compressed or not", async () => {
    const bomb = gzipSync(new Uint8Array(1_000_000));
    expect(bomb.byteLength).toBeLessThan(2_000);
    await expect(readText(bodyOf(bomb), "The host", 2_000)).rejects.toThrow("more than 2000 bytes");
    await expect(readText(new Response("x".repeat(2_001)), "The host", 2_000)).rejects.toThrow(
      "more than 2000 bytes",
    );
  });

  it("is rejected when the compressed body is truncated", async () => {
    const half = gzipSync("some text".repeat(100)).subarray(0, 20);
    await expect(readText(bodyOf(half), "The host", 2_000)).rejects.toBeInstanceOf(TypeError);
  });

  it("is empty without a body", async () => {
    expect(await readText(new Response(null, { status: 204 }), "The host", 10)).toBe("");
  });
});
