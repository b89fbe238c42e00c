import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test("what reorders or hides text becomes a visible mark", () => {
  expect(visibleText("cod\u202Egpj.exe")).toBe("cod\uFFFDgpj.exe");
  expect(visibleText("ad\u200Bmin\u0007")).toBe("ad\uFFFDmin\uFFFD");
  expect(visibleText("a\u200Db")).toBe("a\uFFFDb");
});

test("ordinary text and joined emoji stay as they are", () => {
  const text = "Zoë plays 東方 \u{1F469}\u200D\u{1F4BB} & <b>more</b>";
  expect(visibleText(text)).toBe(text);
});
