import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { lazyPart } from "./lazy-part.tsx";

afterEach(() => {
  vi.useRealTimers();
  // Of the browser itself it is on the prototype.
  Reflect.deleteProperty(navigator, "connection");
});

test("a part's script loads before its first use, and a failure is made good at the use", async () => {
  let loads = 0;
  const Part = lazyPart(async () => {
    loads += 1;
    return () => <p>At once</p>;
  });
  let tries = 0;
  const Lame = lazyPart(async () => {
    tries += 1;
    if (tries === 1) throw new Error("The server is away");
    return () => <p>In the end</p>;
  });
  await expect.poll(() => [loads, tries]).toEqual([1, 1]);
  mount(
    <>
      <Part />
      <Lame />
    </>,
  );
  await expect.element(page.getByText("At once")).toBeVisible();
  await expect.element(page.getByText("In the end")).toBeVisible();
  expect(loads).toBe(1);
});

test.each([
  [{ saveData: true, effectiveType: "4g" }, 0],
  [{ saveData: false, effectiveType: "3g" }, 0],
  [{ saveData: false, effectiveType: "4g" }, 1],
] as const)("on the line %o, %i scripts load before their first use", async (line, expected) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "requestIdleCallback"] });
  Object.defineProperty(navigator, "connection", { configurable: true, value: line });
  let loads = 0;
  const Part = lazyPart(async () => {
    loads += 1;
    return () => <p>In time</p>;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(loads).toBe(expected);
  vi.useRealTimers();
  mount(<Part />);
  await expect.element(page.getByText("In time")).toBeVisible();
});
