import { afterEach, expect, test, vi } from "vitest";
import { tabStore } from "./browser-storage.ts";

afterEach(() => vi.unstubAllGlobals());

const refuse = () => {
  throw new DOMException("Access is denied for this document.", "SecurityError");
};

test.each([
  ["is blocked", new Proxy({}, { get: refuse })],
  ["refuses to write", { getItem: () => null, setItem: refuse, removeItem: () => undefined }],
])("values last in memory where the storage %s", (_, storage) => {
  vi.stubGlobal("sessionStorage", storage);
  expect(tabStore.getItem("a")).toBeNull();
  tabStore.setItem("a", "1");
  expect([tabStore.getItem("a"), tabStore.isKept("a")]).toEqual(["1", false]);
  tabStore.removeItem("a");
  expect(tabStore.getItem("a")).toBeNull();
});

test("the browser keeps values where it may", () => {
  const values = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  });
  tabStore.setItem("a", "1");
  expect([tabStore.getItem("a"), tabStore.isKept("a"), values.get("a")]).toEqual(["1", true, "1"]);
});
