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

export function useUserActions() {
  const queryClient = useQueryClient();
  function refresh() {
    showOwnChange();
    void queryClient.invalidateQueries({ queryKey: ["users"] });
    void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
  }
  const changePermissions = useMutation({
    // The version makes a stale form fail with a conflict.
    mutationFn: ({ user, permissions }: { user: User; permissions: Permission[] }) =>
      call(setPermissions, {
        params: { id: user.id },
        body: { permissions, version: user.version },
      }),
    onSuccess: () => toast.success("Permissions updated successfully"),
    onError: () => toastError(FAILURES.permissions),
    onSettled: refresh,
  });
  const ban = useMutation({
    mutationFn: ({ user, reason }: { user: User; reason: string }) =>
      call(banUser, {
        params: { id: user.id },
        body: reason.trim() === "" ? {} : { reason: reason.trim() },
      }),
    onSuccess: () => toast.success("User banned successfully"),
    onError: () => toastError(FAILURES.ban),
    onSettled: refresh,
  });
  const unban = useMutation({
    mutationFn: (user: User) => call(unbanUser, { params: { id: user.id } }),
    onSuccess: () => toast.success("User unbanned successfully"),
    onError: () => toastError(FAILURES.unban),
    onSettled: refresh,
  });
  const endSessions = useMutation({
    mutationFn: (user: User) => call(endUserSessions, { params: { id: user.id } }),
    onSuccess: () => toast.success("User signed out everywhere"),
    onError: () => toastError(FAILURES.endSessions),
  });
  const erase = useMutation({
    mutationFn: async ({ user, inChats }: { user: User; inChats: boolean }) => {
      await call(eraseUser, { params: { id: user.id } });
      if (inChats) await call(eraseChatter, { body: { twitchId: user.twitchId } });
    },
    onSuccess: () => toast.success("User erased"),
    onError: () => toastError(FAILURES.erase),
    onSettled: refresh,
  });
  return { changePermissions, ban, unban, endSessions, erase };
}
