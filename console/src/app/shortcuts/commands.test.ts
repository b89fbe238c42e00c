import { Search } from "lucide-react";
import { expect, test } from "vitest";
import { PERMISSIONS } from "#contract/permissions.ts";
import { commandsFor } from "./commands.ts";

const context = {
  permissions: PERMISSIONS,
  showShortcuts: () => undefined,
  signOut: () => undefined,
};

const FOUND = {
  id: "upload-1",
  group: "VODs" as const,
  label: "Users of the Alps",
  icon: Search,
  run: { path: "/u" },
};

function labelsFor(text: string): string[] {
  return commandsFor(text, context).map(({ label }) => label);
}

test("an empty query lists the screens and no searches", () => {
  expect(labelsFor("").slice(0, 3)).toEqual(["Dashboard", "Upload Monitor", "Channels"]);
  expect(labelsFor("").some((label) => label.startsWith("Search"))).toBe(false);
});

test.each([
  ["words in any order and case", "MON up", "Upload Monitor"],
  ["initials", "fb", "File Browser"],
  ["a wrong letter", "mobitor", "Upload Monitor"],
  ["a missing letter", "notfications", "Notifications"],
  ["an extra letter", "dashbooard", "Dashboard"],
  ["swapped letters", "falied", "Failed Uploads"],
])("%s match: %s", (_what, typed, label) => {
  expect(labelsFor(typed)[0]).toBe(label);
});

test("what only resembles the text comes after what was found, and never beside a match", () => {
  const found = { ...FOUND, label: "Userz" };
  const labels = commandsFor("userz", context, [found]).map(({ label }) => label);
  expect(labels.slice(0, 2)).toEqual(["Userz", "Users"]);
  expect(labelsFor("dark").filter((label) => !label.includes("“"))).toEqual(["Dark theme"]);
  expect(labelsFor("thene")[0]).not.toMatch(/^Search/);
  expect(labelsFor("xyz").every((label) => label.startsWith("Search"))).toBe(true);
});

test("offers a search for any text, with special characters encoded", () => {
  const [first] = commandsFor("a&b #1", context);
  expect(first).toMatchObject({ label: "Search everywhere for “a&b #1”", run: "more" });
  expect(first?.more?.[0]?.run).toEqual({ path: "/uploads?search=a%26b+%231" });
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

test("results come after the commands, and before the row's controls and the searches", () => {
  const here = [{ ...FOUND, id: "row", group: "This row" as const, label: "Edit users" }];
  const labels = commandsFor("users", { ...context, here }, [FOUND]).map(({ label }) => label);
  expect(labels.slice(0, 4)).toEqual([
    "Users",
    "Users of the Alps",
    "Edit users",
    "Search everywhere for “users”",
  ]);
});

const UPLOADS = ["Upload Monitor", "Failed Uploads", "File Browser"];
const OWN = ["New token", "Your sessions"];

test.each([
  [[], "", ["Dashboard", "Notifications", ...OWN]],
  [
    ["read:system"],
    "",
    ["Dashboard", "Notifications", "System", "Audit Log", ...OWN, "Export audit"],
  ],
  [["read:users"], "us", ["Users", "Search users for “us”"]],
  [["write:uploads"], "arch", ["New archive"]],
  [["write:users"], "arch", []],
  [
    ["read:uploads"],
    "upload",
    ["Uploads that are processing", "Uploads that are pending", ...UPLOADS.slice(0, 2)],
  ],
  [["read:uploads"], "2345678901", ["Search everywhere for “2345678901”"]],
] as const)("with %j, “%s” finds only what that user may open", (permissions, text, expected) => {
  const labels = commandsFor(text, { ...context, permissions }).map(({ label }) => label);
  const others = /theme$|^Keyboard|^Logout|“upload”$/;
  expect(new Set(labels.filter((label) => !others.test(label)))).toEqual(new Set(expected));
});
