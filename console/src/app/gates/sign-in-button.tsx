import { useState } from "react";
import { describeSignInError, signInAddress } from "#console/lib/sign-in.ts";
import { Button } from "#console/ui/button.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./gate.module.css";
import { TwitchMark } from "./twitch-mark.tsx";

/** Leads to Twitch's sign-in. `onBegin` notes where to go afterwards. */
export function SignInButton({ onBegin }: { readonly onBegin: () => void }) {
  const [busy, setBusy] = useState(false);
  async function signIn() {
    setBusy(true);
    onBegin();
    try {
      window.location.assign(await signInAddress());
    } catch (error) {
      setBusy(false);
      toast.error(describeSignInError(error));
    }
  }
  return (
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
  );
}
