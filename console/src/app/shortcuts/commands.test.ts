import { Search } from "lucide-react";
import { expect, test } from "vitest";
import { commandsFor } from "./commands.ts";

const context = { mayArchive: true, showShortcuts: () => undefined, signOut: () => undefined };

function labelsFor(text: string): string[] {
  return commandsFor(text, context).map(({ label }) => label);
}

test("without a text every screen is offered, and no search", () => {
  expect(labelsFor("").slice(0, 3)).toEqual(["Dashboard", "Upload Monitor", "Failed Uploads"]);
  expect(labelsFor("").some((label) => label.startsWith("Search"))).toBe(false);
});

test("all words have to match, in any order and case", () => {
  expect(labelsFor("MON up")[0]).toBe("Upload Monitor");
});

test("a text can be searched for on every list, whatever it holds", () => {
  const [first] = commandsFor("a&b #1", context);
  expect(first?.run).toEqual({ path: "/uploads?search=a%26b+%231" });
});

test.each(["https://www.twitch.tv/videos/2345678901", "m.twitch.tv/videos/1?t=1h", "v2345678901"])(
  "%s is offered to be archived",
  (text) => {
    const [first] = commandsFor(text, context);
    expect(first).toMatchObject({
      label: `Archive ${text}`,
      run: { path: `/uploads?archive=${encodeURIComponent(text)}` },
    });
  },
);

test("what was found comes after the commands and before the searches", () => {
  const found = { id: "upload-1", label: "Users of the Alps", icon: Search, run: { path: "/u" } };
  const labels = commandsFor("users", context, [found]).map(({ label }) => label);
  expect(labels.slice(0, 3)).toEqual(["Users", "Users of the Alps", "Search uploads for “users”"]);
});

test("an archive is offered only to those who may start one", () => {
  const mayNot = { ...context, mayArchive: false };
  for (const text of ["", "2345678901"]) {
    const labels = commandsFor(text, mayNot).map(({ label }) => label);
    expect(labels.filter((label) => /archive/i.test(label))).toEqual([]);
  }
});
