import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { userIdSchema } from "#contract/ids.ts";
import {
  banUser,
  eraseChatter,
  eraseUser,
  listUsers,
  previewErasure,
  setPermissions,
  unbanUser,
} from "#contract/users.ts";
import { buildUser } from "#console/testing/build-user.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow } from "#console/testing/row-menu.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  signIn();
});

const dialog = page.getByRole("dialog");

function answerUsers(items: readonly ReturnType<typeof buildUser>[], total = items.length): void {
  service.answer(listUsers, () => ({ items, total }));
}

test("the cards count all users, and the page's administrators and active users", async () => {
  const users = [1, 2, 3, 4, 5, 6].map((id) =>
    buildUser(id, { isAdmin: id < 3, isBanned: id === 6 }),
  );
  answerUsers(users, 45);
  mountConsole("/users");
  for (const [name, value] of [
    ["Total Users", "45"],
    ["Administrators", "2"],
    ["Active Users", "5"],
  ] as const) {
    const label = page.getByText(name, { exact: true }).first();
    await expect.poll(() => label.query()?.nextElementSibling?.textContent).toBe(value);
  }
});

test("an empty user list explains that nobody has signed in yet", async () => {
  answerUsers([]);
  mountConsole("/users");
  await expect.element(page.getByText("No users found")).toBeVisible();
  await expect.element(page.getByText(/^Nobody has signed in yet/)).toBeVisible();
});

test("users cannot change or ban their own account, and the menu says why", async () => {
  answerUsers([buildUser(1, { id: userIdSchema.parse("1001") })]);
  mountConsole("/users");
  await page.getByRole("button", { name: "Actions for User 1" }).click();
  for (const name of [/^Manage Permissions/, /^Ban User/])
    await expect
      .element(page.getByRole("menuitem", { name }))
      .toHaveAttribute("aria-disabled", "true");
  const reason = page.getByText("You cannot change or ban your own account.");
  await expect.element(reason.first()).toBeVisible();
});

test("saving permissions shows its progress and reports a failure", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(setPermissions, async () => {
    await answered.promise;
    return new Response(null, { status: 404 });
  });
  answerUsers([buildUser(1)]);
  mountConsole("/users");
  await chooseFromRow("Manage Permissions");
  await dialog.getByRole("checkbox").first().click();
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect.element(dialog.getByRole("button", { name: "Saving..." })).toBeVisible();
  answered.resolve();
  await expect.poll(toastTexts).toContain("Failed to update permissions");
});

test.each([
  { item: "Ban User", isBanned: false, words: "Failed to ban user" },
  { item: "Unban User", isBanned: true, words: "Failed to unban user" },
])("$item reports a failure", async ({ item, isBanned, words }) => {
  for (const call of [banUser, unbanUser])
    service.answer(call, () => new Response(null, { status: 404 }));
  answerUsers([buildUser(1, { isBanned })]);
  mountConsole("/users");
  await chooseFromRow(item);
  await dialog.getByRole("button", { name: item }).click();
  await expect.poll(toastTexts).toContain(words);
});

test("an erasure says what it would remove and keep before it is confirmed", async () => {
  const user = buildUser(1);
  answerUsers([user]);
  service.answer(previewErasure, () => ({
    sessions: 1,
    contacts: 1,
    messages: 3,
    followedChannel: "Ember",
    hasConsent: true,
    keptUploads: 2,
    chatReplays: 12,
  }));
  let erased = 0;
  service.answer(eraseUser, () => {
    erased += 1;
    return user;
  });
  let inChats = 0;
  service.answer(eraseChatter, () => {
    inChats += 1;
    return { chatReplays: 12 };
  });
  mountConsole("/users");
  await chooseFromRow("Erase Personal Data");
  await expect
    .element(
      dialog.getByText(
        /^Would also remove: 1 session, .* 3 notifications\. The channel Ember is no longer followed\. Their consent to archiving ends\. 2 uploads .* keep its/,
      ),
    )
    .toBeVisible();
  await dialog.getByRole("checkbox", { name: "Replace the name in 12 chat replays, too" }).click();
  expect(erased).toBe(0);
  await dialog.getByLabelText(/^Type .+ to confirm$/).fill(user.login);
  await dialog.getByRole("button", { name: "Erase" }).click();
  await expect.poll(toastTexts).toContain("User erased");
  expect([erased, inChats]).toEqual([1, 1]);
});
