import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.each([
  ["reordering", "cod\u202Egpj.exe", "cod\uFFFDgpj.exe"],
  ["control and zero-width", "ad\u200Bmin\u0007", "ad\uFFFDmin\uFFFD"],
  ["invisible", "so\u00ADft \u3164 \u2028 \u{E0041}", "so\uFFFDft \uFFFD \uFFFD \uFFFD"],
  ["half", "half \uD83D of it", "half \uFFFD of it"],
  ["joining", "a\u200Db", "a\uFFFDb"],
  ["joining, after a script that needs it", "ad\u200cmin \u06cc\u200c", "ad\uFFFDmin \u06cc\uFFFD"],
  ["joining, after an emoji", "👍\u200Dadmin", "👍\uFFFDadmin"],
  ["excessive combining", "Z\u0351\u036B\u0343\u0301\u0302a", "Z\u0351\u036B\u0343\uFFFDa"],
])("%s characters are replaced by a visible mark", (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  "Zoë plays 東方 \u{1F469}\u200D\u{1F4BB} & <b>more</b>",
  "👩🏽‍🚀 🏳️‍🌈 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  "\u0915\u094d\u200d\u0937",
  "e\u0323\u0302",
])("ordinary text, joined emoji and letters stay as they are: %s", (text) => {
  expect(visibleText(text)).toBe(text);
});
