import * as fc from "fast-check";
import { expect, test } from "vitest";
import { attachmentHeader } from "./content-disposition.ts";

test.for([
  ["pixelpilot-1.ts", `attachment; filename="pixelpilot-1.ts"; filename*=UTF-8''pixelpilot-1.ts`],
  ["Größe.mp4", `attachment; filename="Gr__e.mp4"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.mp4`],
  ['a"b\\c/d', `attachment; filename="a_b_c_d"; filename*=UTF-8''a%22b_c_d`],
  [
    "x\r\nSet-Cookie: y",
    `attachment; filename="x__Set-Cookie: y"; filename*=UTF-8''x__Set-Cookie%3A%20y`,
  ],
  ["exe\u202Egnp.ts", `attachment; filename="exe_gnp.ts"; filename*=UTF-8''exe_gnp.ts`],
  ["\u06cc\u200c\u062e", `attachment; filename="___"; filename*=UTF-8''%DB%8C%E2%80%8C%D8%AE`],
  ["", `attachment; filename="file"; filename*=UTF-8''file`],
  ["..", `attachment; filename="file"; filename*=UTF-8''file`],
])("%j is saved under a safe name", ([name, header]) => {
  expect(attachmentHeader(name ?? "")).toBe(header);
});

test("any name gives a valid header in the expected format", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const header = attachmentHeader(name);
      expect(new Headers({ "content-disposition": header }).get("content-disposition")).toBe(
        header,
      );
      expect(header).toMatch(
        /^attachment; filename="[^"\\/]+"; filename\*=UTF-8''[\w.~!$&+^`|%#-]+$/,
      );
    }),
  );
});
