import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test("reordering and invisible characters are replaced by a visible mark", () => {
  expect(visibleText("cod\u202Egpj.exe")).toBe("cod\uFFFDgpj.exe");
  expect(visibleText("ad\u200Bmin\u0007")).toBe("ad\uFFFDmin\uFFFD");
  expect(visibleText("a\u200Db")).toBe("a\uFFFDb");
  expect(visibleText("so\u00ADft \u3164 \u2028 \u{E0041}")).toBe("so\uFFFDft \uFFFD \uFFFD \uFFFD");
  expect(visibleText("half \uD83D of it")).toBe("half \uFFFD of it");
});

test("ordinary text and joined emoji stay as they are", () => {
  const text = "Zoë plays 東方 \u{1F469}\u200D\u{1F4BB} & <b>more</b>";
  expect(visibleText(text)).toBe(text);
  const joined = "👩🏽‍🚀 🏳️‍🌈 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿";
  expect(visibleText(joined)).toBe(joined);
});

test("joiners within scripts that need them stay, and are replaced elsewhere", () => {
  for (const word of [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
  ])
    expect(visibleText(word)).toBe(word);
  expect(visibleText("ad\u200cmin \u06cc\u200c")).toBe("ad\uFFFDmin \u06cc\uFFFD");
});

test("a joiner outside an emoji sequence is replaced", () => {
  expect(visibleText("👍\u200Dadmin")).toBe("👍\uFFFDadmin");
});

test("excessive combining accents are replaced by a mark", () => {
  expect(visibleText("Z\u0351\u036B\u0343\u0301\u0302a")).toBe("Z\u0351\u036B\u0343\uFFFDa");
  expect(visibleText("e\u0323\u0302")).toBe("e\u0323\u0302");
});
