import { useRouter } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import { forgetConsentPage } from "#console/lib/consent-return.ts";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { Gate, GateNotice } from "./gate.tsx";
import styles from "./gate.module.css";
import { SignInButton } from "./sign-in-button.tsx";

export function LoginGate() {
  const router = useRouter();
  return (
    <Gate title="Admin Portal" text="Sign in with your Twitch account to access the admin panel">
      <GateNotice icon={<ShieldCheck aria-hidden="true" />} title="Admin Access Required">
        This panel is restricted to authorized administrators.
      </GateNotice>
      <SignInButton
        onBegin={() => {
          forgetConsentPage();
          rememberReturnPath(router.state.location.href);
        }}
      />
      <p className={styles.note}>All administrative actions are logged.</p>
    </Gate>
  );
}
