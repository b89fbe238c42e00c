import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { lazyPart } from "./lazy-part.tsx";

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
