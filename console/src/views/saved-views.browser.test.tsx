import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { viewIdSchema } from "#contract/ids.ts";
import { MAX_VIEW_NAME_LENGTH } from "#contract/limits.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { listUsers } from "#contract/users.ts";
import { listViews } from "#contract/views.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

test("the longest name of a view fits on a phone", async () => {
  await page.viewport(390, 800);
  const service = scriptService();
  const name = "W".repeat(MAX_VIEW_NAME_LENGTH);
  service.answer(listViews, () => ({
    views: [
      { id: viewIdSchema.parse("view"), screen: "/users" as const, name, search: "search=a" },
    ],
  }));
  service.answer(listUsers, () => buildPage([]));
  signIn();
  mountConsole("/users?search=a");
  const button = page.getByRole("button", { name: `View: ${name}` });
  await expect.element(button).toBeVisible();
  expect(button.element().getBoundingClientRect().right).toBeLessThanOrEqual(390);
});
