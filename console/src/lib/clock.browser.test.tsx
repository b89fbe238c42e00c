import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { useNow } from "./clock.ts";

afterEach(() => void vi.useRealTimers());

function Now() {
  return <output>{useNow()}</output>;
}

test("the time is right as soon as the page is shown again", async () => {
  vi.useFakeTimers({ now: 1_000, toFake: ["Date", "setInterval", "clearInterval"] });
  mount(<Now />);
  await expect.element(page.getByRole("status")).toHaveTextContent("1000");
  vi.setSystemTime(90_000);
  document.dispatchEvent(new Event("visibilitychange"));
  // Waiting for an element would let the timer tick.
  await new Promise(requestAnimationFrame);
  expect(page.getByRole("status").element().textContent).toBe("90000");
});
