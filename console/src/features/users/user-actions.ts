import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Permission } from "#contract/permissions.ts";
import { banUser, endUserSessions, setPermissions, unbanUser, type User } from "#contract/users.ts";
import { call } from "#console/lib/api-client.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { USERS_KEY } from "./user-queries.ts";

export const FAILURES = {
  permissions: "Failed to update permissions",
  ban: "Failed to ban user",
  unban: "Failed to unban user",
  endSessions: "Failed to sign the user out",
} as const;

export function useUserActions() {
  const queryClient = useQueryClient();
  function refresh() {
    void queryClient.invalidateQueries({ queryKey: USERS_KEY });
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
    onError: () => tellFailure(FAILURES.permissions),
    onSettled: refresh,
  });
  const ban = useMutation({
    mutationFn: ({ user, reason }: { user: User; reason: string }) =>
      call(banUser, {
        params: { id: user.id },
        body: reason.trim() === "" ? {} : { reason: reason.trim() },
      }),
    onSuccess: () => toast.success("User banned successfully"),
    onError: () => tellFailure(FAILURES.ban),
    onSettled: refresh,
  });
  const unban = useMutation({
    mutationFn: (user: User) => call(unbanUser, { params: { id: user.id } }),
    onSuccess: () => toast.success("User unbanned successfully"),
    onError: () => tellFailure(FAILURES.unban),
    onSettled: refresh,
  });
  const endSessions = useMutation({
    mutationFn: (user: User) => call(endUserSessions, { params: { id: user.id } }),
    onSuccess: () => toast.success("User signed out everywhere"),
    onError: () => tellFailure(FAILURES.endSessions),
  });
  return { changePermissions, ban, unban, endSessions };
}
