import { useRouter } from "@tanstack/react-router";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { describeSignInError, signInAddress } from "#console/lib/sign-in.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";

/** Starts a new Twitch sign-in; afterwards a banner offers to return to this page. */
export function SignInAgainDialog({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter();
  return (
    <ConfirmDialog
      title="Sign in again"
      question="This change needs a recent sign-in. Nothing was changed. After signing in you can return to this page."
      confirmLabel="Sign in with Twitch"
      onConfirm={async () => {
        rememberReturnPath(router.state.location.href);
        window.location.assign(await signInAddress());
      }}
      onClose={onClose}
      describeError={describeSignInError}
    />
  );
}
