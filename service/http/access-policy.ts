import type { Policy } from "#contract/permissions.ts";
import { Failure } from "#service/failure.ts";
import type { Principal } from "./route.ts";

/**
 * Decides whether `principal` may make a call with this policy. Deny by default: what is not
 * named here is refused.
 * @throws {Failure} unauthenticated or forbidden
 */
export function requireAccess(policy: Policy, principal: Principal | null): void {
  if (policy === "public") return;
  if (principal === null) throw new Failure("unauthenticated", "Please sign in.");
  if (policy === "session") return;
  if (policy === "admin") {
    if (principal.isAdmin) return;
    throw new Failure("forbidden", "Only administrators can do this.");
  }
  if (policy !== "metrics_token" && principal.permissions.includes(policy)) return;
  throw new Failure("forbidden", `This needs the permission ${policy}.`);
}
