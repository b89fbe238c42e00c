import { assert, property, subarray } from "fast-check";
import { expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { applyPreset, changeRefusal, permissionDiff, roleChange } from "./user-rules.ts";

const permissionSet = subarray([...PERMISSIONS]);
const target = {
  id: userIdSchema.parse("2"),
  permissions: ["read:uploads" as const],
  isBootstrap: false,
};

test("who holds write:users and what the target holds may change them", () => {
  const actor = { id: "1", permissions: ["write:users", "read:uploads"] as const };
  expect(changeRefusal(actor, target)).toBeUndefined();
  expect(changeRefusal({ ...actor, permissions: ["read:uploads"] }, target)).toMatch(/write:users/);
  expect(changeRefusal({ ...actor, permissions: ["write:users"] }, target)).toMatch(/read:uploads/);
});

test("nobody may change themselves or an administrator of the deployment", () => {
  const actor = { id: "1", permissions: PERMISSIONS };
  expect(changeRefusal({ ...actor, id: target.id }, target)).toMatch(/your own account/);
  expect(changeRefusal(actor, { ...target, isBootstrap: true })).toMatch(/settings/);
});

test("a difference turns the old set into the new one and names nothing twice", () => {
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

test("a preset changes only what the actor holds", () => {
  assert(
    property(permissionSet, permissionSet, permissionSet, (preset, chosen, held) => {
      const applied = applyPreset(preset, chosen, held);
      const { added, removed } = permissionDiff(chosen, applied);
      expect([...added, ...removed].every((one) => held.includes(one))).toBe(true);
      expect(held.every((one) => applied.includes(one) === preset.includes(one))).toBe(true);
    }),
  );
});

test("the first permission makes an administrator and the last one taken unmakes them", () => {
  expect(roleChange([], ["read:users"])).toBe("promotion");
  expect(roleChange(["read:users"], [])).toBe("demotion");
  expect(roleChange(["read:users"], ["write:users"])).toBeNull();
  expect(roleChange([], [])).toBeNull();
});
