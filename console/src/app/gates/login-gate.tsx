import { useRouter } from "@tanstack/react-router";
import { Info, ShieldCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { validate } from "#contract/auth.ts";
import { request } from "#console/lib/api-request.ts";
import { forgetConsentPage } from "#console/lib/consent-return.ts";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Gate, GateNotice } from "./gate.tsx";
import styles from "./gate.module.css";
import { SignInButtons } from "./sign-in-buttons.tsx";

/** `expired`: the service ended the session, and may say why. */
export function LoginGate({ expired }: { readonly expired: boolean }) {
  const router = useRouter();
  const [ended, setEnded] = useState<string>();
  // Not a query: the end of a session clears those.
  useEffect(() => {
    if (!expired) return;
    request(validate, {}, null).then(
      (answer) => setEnded(answer.ended),
      () => undefined,
    );
  }, [expired]);
  return (
    <Gate title="Admin Portal" text="Sign in with your Twitch account to access the admin panel">
      {ended !== undefined && (
        <GateNotice icon={<Info />} title="You were signed out" role="status">
          {ended}
        </GateNotice>
      )}
      <GateNotice icon={<ShieldCheck />} title="Admin Access Required">
        This panel is restricted to authorized administrators.
      </GateNotice>
      <SignInButtons
        onBegin={() => {
          forgetConsentPage();
          rememberReturnPath(router.state.location.href);
        }}
      />
      <p className={classNames("note", styles.note)}>All administrative actions are logged.</p>
    </Gate>
  );
}
