import { useState } from "react";
import { twitchReturnsTo, type DeviceSignIn } from "#contract/device-sign-in.ts";
import { describeSignInError, signInAddress } from "#console/lib/sign-in.ts";
import { Button } from "#console/ui/button.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { DeviceSignInButton } from "./device-sign-in.tsx";
import styles from "./gate.module.css";

/** The ways in that this address has. `onBegin` notes where to go afterwards. */
export function SignInButtons({
  onBegin,
  begin,
  beginByCode,
}: {
  readonly onBegin: () => void;
  /** Other calls than those of `auth` that start a sign-in. */
  readonly begin?: Parameters<typeof signInAddress>[0];
  readonly beginByCode?: () => Promise<DeviceSignIn>;
}) {
  const returns = twitchReturnsTo(window.location.origin);
  const offersCode = returns !== "yes" || beginByCode !== undefined;
  return (
    <>
      {returns !== "no" && <RedirectButton onBegin={onBegin} begin={begin} />}
      {offersCode && (
        <DeviceSignInButton onBegin={onBegin} begin={beginByCode} isMain={returns === "no"} />
      )}
    </>
  );
}

/** Leads to Twitch and back. */
export function RedirectButton({
  onBegin,
  begin,
  other,
}: Pick<Parameters<typeof SignInButtons>[0], "onBegin" | "begin"> & {
  /** What it leads to instead of a session. */
  readonly other?: string;
}) {
  const [busy, setBusy] = useState(false);
  async function signIn() {
    setBusy(true);
    onBegin();
    try {
      const address = await signInAddress(begin);
      // Who comes back without signing in may find this page as it was left.
      window.addEventListener("pagehide", () => setBusy(false), { once: true });
      window.location.assign(address);
    } catch (error) {
      setBusy(false);
      toast.error(describeSignInError(error));
    }
  }
  return (
    <Button
      {...(other === undefined && { kind: "primary", className: styles.twitch ?? "" })}
      large
      icon={<TwitchMark />}
      busy={busy}
      onClick={() => void signIn()}
    >
      {other ?? "Sign in with Twitch"}
    </Button>
  );
}

/** Twitch's glyph (brand.twitch.com); the icon set ships no brand marks. */
function TwitchMark() {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d="M6 0 1.7 4.3v15.4h5.1V24l4.3-4.3h3.4L22.3 12V0H6Zm14.6 11.1-3.4 3.5h-3.5l-3 3v-3H6.9V1.7h13.7v9.4Z" />
      <path d="M16.3 4.7H18v5.2h-1.7zM11.6 4.7h1.7v5.2h-1.7z" />
    </svg>
  );
}
