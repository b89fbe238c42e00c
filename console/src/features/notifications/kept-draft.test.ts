import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { keepDraft, keptDraft } from "./kept-draft.ts";
import { EMPTY_DRAFT } from "./preference-draft.ts";

const avery = userIdSchema.parse("1001");
const blake = userIdSchema.parse("1002");

let items: Map<string, string>;
beforeEach(() => {
  items = new Map();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("a draft is kept only for the administrator who typed it, until it is cleared", () => {
  const draft = { ...EMPTY_DRAFT, email: "a@example.org", enabledEvents: { upload_failed: [] } };
  keepDraft(avery, draft);
  expect(keptDraft(avery)).toEqual(draft);
  expect(keptDraft(blake)).toBeNull();
  keepDraft(avery, null);
  expect(items.size).toBe(0);
});

test("an invalid draft is ignored", () => {
  for (const text of ["", "{", "{}", '{"email":1}', "null"]) {
    items.set("notification_draft_1001", text);
    expect(keptDraft(avery)).toBeNull();
  }
});
