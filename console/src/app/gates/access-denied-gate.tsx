import { KeyRound, ShieldX } from "lucide-react";
import type { Admin } from "#contract/auth.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Button } from "#console/ui/button.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { Gate, GateNotice } from "./gate.tsx";

/**
 * Names the account, because the usual cause is a sign-in with the wrong one. Whoever sets up a
 * deployment gets the setting that makes them its first administrator.
 */
export function AccessDeniedGate({ admin }: { readonly admin: Admin }) {
  const { signOut, signingOut } = useSignOut();
  const setting = `ADMIN_TWITCH_IDS=${admin.twitchId}`;
  return (
    <Gate title="Access Denied" text="You don't have administrator privileges">
      <div className="row gap3 small">
        <Avatar name={admin.displayName} imageUrl={admin.profileImageUrl} size={36} />
        <span>
          Signed in as <strong>{visibleText(admin.displayName)}</strong>
          <small className="block">
            @{visibleText(admin.login)} · Twitch ID {admin.twitchId}
          </small>
        </span>
      </div>
      <GateNotice icon={<ShieldX />} title="Insufficient Permissions">
        Please contact a system administrator to request access.
      </GateNotice>
      {admin.noAdministrator && (
        <GateNotice icon={<KeyRound />} title="Nobody is an administrator yet">
          You are Twitch user {admin.twitchId}. Set <code>{setting}</code>{" "}
          <CopyButton text={setting} label="Copy the setting" /> and restart.
        </GateNotice>
      )}
      <Button large busy={signingOut} onClick={signOut}>
        Sign Out
      </Button>
    </Gate>
  );
}
