import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { until } from "#console/testing/until.ts";
import { useNow } from "./clock.ts";

afterEach(() => void vi.useRealTimers());

const shown = () => page.getByRole("status").element().textContent;

function Now() {
  return <output>{useNow()}</output>;
}

test("the time is right as soon as the page is shown again", async () => {
  vi.useFakeTimers({ now: 1_000, toFake: ["Date", "setInterval", "clearInterval"] });
  mount(<Now />);
  await expect.element(page.getByRole("status")).toHaveTextContent("1000");
  vi.setSystemTime(90_000);
  document.dispatchEvent(new Event("visibilitychange"));
  await until(() => shown() !== "1000");
  expect(shown()).toBe("90000");
});
