import type { User } from "#contract/users.ts";
import { useSession } from "#console/lib/session.ts";
import { changeRefusal } from "./user-rules.ts";

/** Why the signed-in administrator may not change this user, or undefined when they may. */
export function useChangeRefusal(user: User): string | undefined {
  const session = useSession();
  return session.status === "signed-in" ? changeRefusal(session.admin, user) : undefined;
}
