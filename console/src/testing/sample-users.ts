import { PERMISSIONS } from "#contract/permissions.ts";
import { ago } from "./ago.ts";
import { buildUser } from "./build-user.ts";

export const USERS = [
  buildUser(1, {
    displayName: "Avery Admin",
    login: "avery",
    isAdmin: true,
    isBootstrap: true,
    permissions: [...PERMISSIONS],
    lastLoginAt: ago(3),
  }),
  buildUser(2, {
    displayName: "Somebody with a rather long name",
    email: "somebody.with.a.long.address@mail.example.com",
    isAdmin: true,
    permissions: ["read:uploads"],
    lastLoginAt: ago(5_000),
  }),
  buildUser(3, { isBanned: true, banReason: "Uploaded what was not theirs.", uploads: 3 }),
  buildUser(4),
];
