import { useMutation } from "@tanstack/react-query";
import { signOut as endSession } from "#console/lib/session.ts";
import { toast } from "#console/ui/toast-store.ts";

export function useSignOut() {
  const { mutate, isPending } = useMutation({
    mutationFn: endSession,
    onSuccess: () => toast.success("Logged out successfully"),
    onError: () => toast.error("Logout failed"),
    networkMode: "always",
  });
  return { signOut: () => mutate(), signingOut: isPending };
}
