import { useRouter } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { signInAddress } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { Gate, GateNotice } from "./gate.tsx";
import styles from "./gate.module.css";
import { TwitchMark } from "./twitch-mark.tsx";

export function LoginGate() {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  async function signIn() {
    setBusy(true);
    rememberReturnPath(router.state.location.href);
    try {
      window.location.assign(await signInAddress());
    } catch {
      setBusy(false);
      toast.error("Failed to initiate login. Please try again.");
    }
  }
  return (
    <Gate title="Admin Portal" text="Sign in with your Twitch account to access the admin panel">
      <GateNotice icon={<ShieldCheck aria-hidden="true" />} title="Admin Access Required">
        This panel is restricted to authorized administrators.
      </GateNotice>
      <Button
        kind="primary"
        large
        className={styles.twitch ?? ""}
        icon={<TwitchMark />}
        busy={busy}
        onClick={() => void signIn()}
      >
        Sign in with Twitch
      </Button>
      <p className={styles.note}>All administrative actions are logged.</p>
    </Gate>
  );
}
