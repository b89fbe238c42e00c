import { assert, property, subarray } from "fast-check";
import { expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import {
  applyPreset,
  changeRefusal,
  choosePermission,
  permissionDiff,
  roleChange,
  signOutRefusal,
} from "./user-rules.ts";

const permissionSet = subarray([...PERMISSIONS]);
const target = {
  id: userIdSchema.parse("2"),
  permissions: ["read:uploads" as const],
  isBootstrap: false,
};

test("changing a user requires write:users and all of the user's permissions", () => {
  const actor = { id: "1", permissions: ["write:users", "read:uploads"] as const };
  expect(changeRefusal(actor, target)).toBeUndefined();
  expect(changeRefusal({ ...actor, permissions: ["read:uploads"] }, target)).toMatch(/write:users/);
  expect(changeRefusal({ ...actor, permissions: ["write:users"] }, target)).toMatch(/read:uploads/);
});

test("users cannot change themselves or an administrator set by the deployment", () => {
  const actor = { id: "1", permissions: PERMISSIONS };
  expect(changeRefusal({ ...actor, id: target.id }, target)).toMatch(/your own account/);
  expect(changeRefusal(actor, { ...target, isBootstrap: true })).toMatch(/settings/);
});

test("ending all sessions of a user requires the user's permissions", () => {
  const actor = { id: "1", permissions: ["write:users"] as const };
  expect(signOutRefusal(actor, target)).toMatch(/read:uploads/);
  expect(signOutRefusal(actor, { ...target, permissions: [] })).toBeUndefined();
  const set = { ...target, isBootstrap: true, permissions: [...PERMISSIONS] };
  expect(signOutRefusal({ id: "1", permissions: PERMISSIONS }, set)).toMatch(/settings/);
  expect(signOutRefusal({ id: set.id, permissions: PERMISSIONS }, set)).toBeUndefined();
});

test("a diff turns the old set into the new one, without redundant entries", () => {
  assert(
    property(permissionSet, permissionSet, (before, after) => {
      const { added, removed } = permissionDiff(before, after);
      const kept = before.filter((one) => !removed.includes(one));
      expect(new Set([...kept, ...added])).toEqual(new Set(after));
      expect(added.filter((one) => before.includes(one))).toEqual([]);
      expect(removed.filter((one) => !before.includes(one))).toEqual([]);
    }),
  );
});

test("a preset changes only permissions that the actor holds", () => {
  assert(
    property(permissionSet, permissionSet, permissionSet, (preset, chosen, held) => {
      const applied = applyPreset(preset, chosen, held);
      const { added, removed } = permissionDiff(chosen, applied);
      expect([...added, ...removed].every((one) => held.includes(one))).toBe(true);
      expect(held.every((one) => applied.includes(one) === preset.includes(one))).toBe(true);
    }),
  );
});

test("the first permission promotes to administrator, and removing the last one demotes", () => {
  expect(roleChange([], ["read:users"])).toBe("promotion");
  expect(roleChange(["read:users"], [])).toBe("demotion");
  expect(roleChange(["read:users"], ["write:users"])).toBeNull();
  expect(roleChange([], [])).toBeNull();
});

test.each([
  ["write:users", true, ["read:users", "write:users"]],
  ["delete:uploads", true, ["delete:uploads"]],
  ["read:system", true, ["read:system"]],
  ["read:users", false, []],
] as const)("choosing %s as %s gives %j to one who may not read uploads", (one, granted, after) => {
  const held = ["delete:uploads", "read:users", "write:users", "read:system"] as const;
  expect(choosePermission(one, granted, granted ? [] : ["read:users"], held)).toEqual(after);
});
