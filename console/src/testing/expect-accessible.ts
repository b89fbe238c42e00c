import axe from "axe-core";
import { expect } from "vitest";
import { server } from "vitest/browser";

/** WCAG 2.2 AA and best practices; `target-size` runs only when its tag is named. */
export const ALL_RULES: axe.RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};

/** The subset that depends on the theme. */
export const COLOUR_RULES: axe.RunOnly = {
  type: "rule",
  values: ["color-contrast", "link-in-text-block"],
};

const ALL_LOOKS = [
  { widthPx: 1280, theme: "light", rules: ALL_RULES },
  { widthPx: 390, theme: "dark", rules: ALL_RULES },
  { widthPx: 1280, theme: "dark", rules: COLOUR_RULES },
  { widthPx: 390, theme: "light", rules: COLOUR_RULES },
] as const;

/** Widths, themes and the rules to check there; the other browsers repeat no rules. */
export const LOOKS = ALL_LOOKS.filter(
  ({ rules }) => server.browser === "chromium" || rules === ALL_RULES,
);

/** Fails if axe finds a violation, a control is too small, or the document is wider than the window. */
export async function expectAccessible(rules: axe.RunOnly): Promise<void> {
  await Promise.allSettled(finiteAnimations().map(async ({ finished }) => finished));
  const { scrollWidth, clientWidth } = document.documentElement;
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
  const small = smallTargets();
  expect({ overflowPx: scrollWidth - clientWidth, cut: cutTables(), small, found }).toEqual({
    overflowPx: 0,
    cut: [],
    small: [],
    found: [],
  });
}

/** Tables wider than their frame, which neither shows the rest nor scrolls to it. */
function cutTables(): readonly string[] {
  return [...document.querySelectorAll("table")]
    .filter(({ offsetWidth, parentElement: frame }) => offsetWidth > (frame?.clientWidth ?? 0))
    .filter(({ parentElement: frame }) => frame && getComputedStyle(frame).overflowX === "clip")
    .map(({ caption, offsetWidth }) => `${caption?.textContent}: ${offsetWidth} px`);
}

/** Controls below 24 px (WCAG 2.2, 2.5.8); links within text are exempt. */
function smallTargets(): readonly string[] {
  return [...document.querySelectorAll("button, select, input, textarea, summary, a[href]")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline")
    .filter((one) => {
      const { width, height } = (one.closest("label") ?? one).getBoundingClientRect();
      return width > 0 && Math.min(width, height) < 24 - 0.01;
    })
    .map((one) => one.outerHTML.slice(0, 120));
}

/** While a colour fades, axe would measure its contrast at that moment. */
function finiteAnimations(): Animation[] {
  return document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
}
