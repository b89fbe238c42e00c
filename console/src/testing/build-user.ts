import { userSchema, type User } from "#contract/users.ts";

/** A user without permissions that is valid by the contract, named by a number. */
export function buildUser(id: number, overrides: Partial<User> = {}): User {
  return userSchema.parse({
    id: `user${id}`,
    version: 1,
    twitchId: `200${id}`,
    displayName: `User ${id}`,
    login: `user_${id}`,
    email: null,
    profileImageUrl: null,
    isAdmin: false,
    isBanned: false,
    banReason: null,
    isBootstrap: false,
    permissions: [],
    lastLoginAt: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    uploads: 0,
    storedBytes: 0,
    ...overrides,
  });
}
