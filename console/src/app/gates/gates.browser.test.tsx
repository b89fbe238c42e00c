import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { refresh, validate } from "#contract/auth.ts";
import { listUsers } from "#contract/users.ts";
import { setSignedIn } from "#console/lib/session-store.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { buildAdmin, signIn } from "#console/testing/sign-in.ts";

const hint = page.getByText(/^You are Twitch user 1001\. Set ADMIN_TWITCH_IDS=1001/);

test.each([true, undefined] as const)(
  "Access Denied shows the setting only while nobody is an administrator (%s)",
  async (noAdministrator) => {
    scriptService();
    setSignedIn({ ...buildAdmin([]), ...(noAdministrator && { noAdministrator }) });
    mountConsole("/");
    await expect.element(page.getByText("Insufficient Permissions")).toBeVisible();
    expect(hint.elements()).toHaveLength(noAdministrator ? 1 : 0);
    await expectAccessible(ALL_RULES);
  },
);

const refused = () => refusal("", "unauthenticated", 401);

test("the login screen says why the service ended the session", async () => {
  const service = scriptService();
  service.answer(listUsers, refused);
  service.answer(refresh, refused);
  service.answer(validate, () => ({
    valid: false,
    admin: null,
    ended: "You signed in elsewhere.",
  }));
  signIn(["read:users"]);
  mountConsole("/users");
  await expect.element(page.getByText("You signed in elsewhere.")).toBeVisible();
  await expectAccessible(ALL_RULES);
});
