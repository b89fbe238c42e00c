import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Permission } from "#contract/permissions.ts";
import {
  banUser,
  endUserSessions,
  eraseChatter,
  eraseUser,
  setPermissions,
  unbanUser,
  type User,
} from "#contract/users.ts";
import { call } from "#console/lib/api-client.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toast } from "#console/ui/toast-store.ts";

export const FAILURES = {
  permissions: "Failed to update permissions",
  ban: "Failed to ban user",
  unban: "Failed to unban user",
  endSessions: "Failed to sign the user out",
  erase: "Failed to erase the user",
} as const;

function useUserChange<Change>(
  failure: string,
  success: string,
  mutationFn: (change: Change) => Promise<unknown>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => toast.success(success),
    onError: () => toastError(failure),
    onSettled: () => {
      showOwnChange();
      void queryClient.invalidateQueries({ queryKey: ["users"] });
      void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
    },
  });
}

export function useUserActions() {
  return {
    changePermissions: useUserChange(
      FAILURES.permissions,
      "Permissions updated successfully",
      // The version makes a stale form fail with a conflict.
      ({ user, permissions }: { user: User; permissions: Permission[] }) =>
        call(setPermissions, {
          params: { id: user.id },
          body: { permissions, version: user.version },
        }),
    ),
    ban: useUserChange(
      FAILURES.ban,
      "User banned successfully",
      ({ user, reason }: { user: User; reason: string }) =>
        call(banUser, {
          params: { id: user.id },
          body: reason.trim() === "" ? {} : { reason: reason.trim() },
        }),
    ),
    unban: useUserChange(FAILURES.unban, "User unbanned successfully", ({ id }: User) =>
      call(unbanUser, { params: { id } }),
    ),
    endSessions: useUserChange(FAILURES.endSessions, "User signed out everywhere", ({ id }: User) =>
      call(endUserSessions, { params: { id } }),
    ),
    erase: useUserChange(
      FAILURES.erase,
      "User erased",
      async ({ user, inChats }: { user: User; inChats: boolean }) => {
        await call(eraseUser, { params: { id: user.id } });
        if (inChats) await call(eraseChatter, { body: { twitchId: user.twitchId } });
      },
    ),
  };
}
