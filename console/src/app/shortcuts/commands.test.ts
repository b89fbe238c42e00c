import { Search } from "lucide-react";
import { expect, test } from "vitest";
import { commandsFor } from "./commands.ts";

const context = { mayArchive: true, showShortcuts: () => undefined, signOut: () => undefined };

function labelsFor(text: string): string[] {
  return commandsFor(text, context).map(({ label }) => label);
}

test("an empty query lists the screens and no searches", () => {
  expect(labelsFor("").slice(0, 3)).toEqual(["Dashboard", "Upload Monitor", "Failed Uploads"]);
  expect(labelsFor("").some((label) => label.startsWith("Search"))).toBe(false);
});

test("all words must match, in any order and case", () => {
  expect(labelsFor("MON up")[0]).toBe("Upload Monitor");
});

test("offers a search for any text, with special characters encoded", () => {
  const [first] = commandsFor("a&b #1", context);
  expect(first?.run).toEqual({ path: "/uploads?search=a%26b+%231" });
});

test.each(["https://www.twitch.tv/videos/2345678901", "m.twitch.tv/videos/1?t=1h", "v2345678901"])(
  "offers to archive %s",
  (text) => {
    const [first] = commandsFor(text, context);
    expect(first).toMatchObject({
      label: `Archive ${text}`,
      run: { path: `/uploads?archive=${encodeURIComponent(text)}` },
    });
  },
);

test("results come after the commands and before the searches", () => {
  const found = { id: "upload-1", label: "Users of the Alps", icon: Search, run: { path: "/u" } };
  const labels = commandsFor("users", context, [found]).map(({ label }) => label);
  expect(labels.slice(0, 3)).toEqual(["Users", "Users of the Alps", "Search uploads for “users”"]);
});

test("archiving is offered only to users who may start an archive", () => {
  const mayNot = { ...context, mayArchive: false };
  for (const text of ["", "2345678901"]) {
    const labels = commandsFor(text, mayNot).map(({ label }) => label);
    expect(labels.filter((label) => /archive/i.test(label))).toEqual([]);
  }
});
