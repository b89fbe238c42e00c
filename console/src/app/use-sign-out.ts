import { useState } from "react";
import { signOut as endSession } from "#console/lib/session.ts";
import { toast } from "#console/ui/toast-store.ts";

export function useSignOut() {
  const [signingOut, setSigningOut] = useState(false);
  async function run() {
    setSigningOut(true);
    try {
      await endSession();
      toast.success("Logged out successfully");
    } catch {
      toast.error("Logout failed");
    } finally {
      setSigningOut(false);
    }
  }
  return { signOut: () => void run(), signingOut };
}
