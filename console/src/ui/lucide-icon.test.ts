import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import createLucideIcon from "./lucide-icon.ts";

test("paths and circles become one path, in which none moves another", () => {
  const Icon = createLucideIcon({
    node: [
      ["path", { d: "M1 1h2" }],
      ["path", { d: "m6 9 6 6 6-6" }],
      ["path", { d: "m.5.5-.5.5" }],
      ["path", { d: "m3 3" }],
      ["circle", { cx: "12", cy: "5", r: "1.5" }],
    ],
  });
  expect(renderToStaticMarkup(createElement(Icon))).toContain(
    '<path d="M1 1h2M6 9l6 6 6-6M.5 .5l-.5.5M3 3M10.5 5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0"></path>',
  );
});

test("other shapes stay, and a named icon is not hidden from screen readers", () => {
  const Icon = createLucideIcon({ node: [["rect", { width: "8", height: "8" }]] });
  expect(renderToStaticMarkup(createElement(Icon, { role: "img", "aria-label": "Done" }))).toBe(
    '<svg viewBox="0 0 24 24" role="img" aria-label="Done" class="lucide"><rect width="8" height="8"></rect></svg>',
  );
});
