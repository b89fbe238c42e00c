import { build } from "#contract/testing/build.ts";
import { userSchema, type User } from "#contract/users.ts";

/** A user without permissions that is valid by the contract, named by a number. */
export function buildUser(id: number, overrides: Partial<User> = {}): User {
  return build(userSchema, {
    id: `user${id}`,
    version: 1,
    twitchId: `200${id}`,
    displayName: `User ${id}`,
    login: `user_${id}`,
    ...overrides,
  });
}
