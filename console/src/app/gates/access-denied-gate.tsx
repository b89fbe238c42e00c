import { ShieldX } from "lucide-react";
import type { Admin } from "#contract/auth.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Button } from "#console/ui/button.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { Gate, GateNotice } from "./gate.tsx";
import styles from "./gate.module.css";

/**
 * Names the account, because the usual cause is a sign-in with the wrong one. Its id is what
 * ADMIN_TWITCH_IDS takes.
 */
export function AccessDeniedGate({ admin }: { readonly admin: Admin }) {
  const { signOut, signingOut } = useSignOut();
  return (
    <Gate title="Access Denied" text="You don't have administrator privileges">
      <div className={styles.account}>
        <Avatar name={admin.displayName} imageUrl={admin.profileImageUrl} size={36} />
        <span>
          Signed in as <strong>{visibleText(admin.displayName)}</strong>
          <small>
            @{visibleText(admin.login)} · Twitch ID {admin.twitchId}
          </small>
        </span>
      </div>
      <GateNotice icon={<ShieldX aria-hidden="true" />} title="Insufficient Permissions">
        Please contact a system administrator to request access.
      </GateNotice>
      <Button large busy={signingOut} onClick={signOut}>
        Sign Out
      </Button>
    </Gate>
  );
}
