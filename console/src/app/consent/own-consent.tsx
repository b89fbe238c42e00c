import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Admin } from "#contract/auth.ts";
import { twitchReturnsTo } from "#contract/device-sign-in.ts";
import type { DataOf } from "#contract/call.ts";
import {
  agree,
  CONSENT_TEXT_VERSION,
  readOwnConsent,
  withdraw,
  type Consent,
  type ConsentPage,
} from "#contract/consent.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { rememberConsentPage, rememberWithdrawal } from "#console/lib/consent-return.ts";
import type { SessionState } from "#console/lib/session-store.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Spinner } from "#console/ui/spinner.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { RedirectButton, SignInButtons } from "../gates/sign-in-buttons.tsx";
import { useSignOut } from "../use-sign-out.ts";
import styles from "./consent.module.css";

type Channel = ConsentPage["channel"];

/** The part of the page that depends on who is signed in. `channel` is null without a valid link. */
export function OwnConsent({
  token,
  channel,
  session,
}: {
  readonly token: string | null;
  readonly channel: Channel | null;
  readonly session: SessionState;
}) {
  const { signOut, signingOut } = useSignOut();
  if (session.status !== "signed-in")
    return (
      <div className={classNames("stack gap3", styles.state)}>
        <p>
          {channel === null
            ? "Sign in to see a consent that you gave, and to withdraw it. Signing in agrees to nothing."
            : `Only ${visibleText(channel.displayName)} (@${visibleText(channel.login)}) can agree. Signing in agrees to nothing yet.`}
        </p>
        <SignInButtons onBegin={() => rememberConsentPage(token)} />
        {twitchReturnsTo(window.location.origin) !== "no" && (
          <>
            <p>
              You can also withdraw without signing in here, for example if this service banned you.
            </p>
            <RedirectButton
              other="Withdraw with Twitch"
              onBegin={() => rememberWithdrawal(token)}
            />
          </>
        )}
      </div>
    );
  const { admin } = session;
  return (
    <div className={classNames("stack gap3", styles.state)}>
      {channel !== null && channel.twitchId !== admin.twitchId ? (
        <Banner tone="warn">
          You are signed in as {visibleText(admin.displayName)}. Only{" "}
          {visibleText(channel.displayName)} (@{visibleText(channel.login)}) can agree.
        </Banner>
      ) : (
        <OwnersChoice admin={admin} token={channel === null ? null : token} />
      )}
      <div className="wrap">
        <Button kind="quiet" busy={signingOut} onClick={signOut}>
          Sign out {visibleText(admin.displayName)}
        </Button>
      </div>
    </div>
  );
}

/** `token` is null if there is no valid link to agree on. */
function OwnersChoice({ admin, token }: { readonly admin: Admin; readonly token: string | null }) {
  const queryClient = useQueryClient();
  const queryKey = ["own consent", admin.twitchId];
  const own = useQuery({ queryKey, queryFn: ({ signal }) => call(readOwnConsent, { signal }) });
  const [isWithdrawing, setIsWithdrawing] = useState(false);
  const note = (data: DataOf<typeof readOwnConsent>) => queryClient.setQueryData(queryKey, data);
  const agreeing = useMutation({
    mutationFn: (link: string) =>
      call(agree, { params: { token: link }, body: { textVersion: CONSENT_TEXT_VERSION } }),
    onSuccess: note,
  });

  if (own.isPending) return <Spinner />;
  if (own.isError)
    return (
      <Banner tone="bad" actions={<Button onClick={() => void own.refetch()}>Try again</Button>}>
        {messageOf(own.error)}
      </Banner>
    );
  const { consent } = own.data;
  const isInForce = consent?.withdrawnAt === null;
  const isUpToDate = isInForce && consent.textVersion >= CONSENT_TEXT_VERSION;
  return (
    <>
      <p role="status">
        <StateText consent={consent} mayAgree={token !== null} />
      </p>
      {agreeing.isError && <Banner tone="bad">{messageOf(agreeing.error)}</Banner>}
      <div className="wrap">
        {!isUpToDate && token !== null && (
          <Button
            kind="primary"
            large
            busy={agreeing.isPending}
            onClick={() => agreeing.mutate(token)}
          >
            Agree
          </Button>
        )}
        {isInForce && (
          <Button large onClick={() => setIsWithdrawing(true)}>
            Withdraw
          </Button>
        )}
      </div>
      {isWithdrawing && (
        <ConfirmDialog
          title="Withdraw your consent"
          question="Nothing new will be copied on your consent, and copies that are being made stop. Finished copies stay until an administrator deletes them. You can agree again on a valid link."
          confirmLabel="Withdraw"
          danger
          onConfirm={async () => note(await call(withdraw))}
          onClose={() => setIsWithdrawing(false)}
        />
      )}
    </>
  );
}

function StateText({
  consent,
  mayAgree,
}: {
  readonly consent: Consent | null;
  readonly mayAgree: boolean;
}) {
  if (consent === null) return "You have not agreed. Signing in has not changed that.";
  if (consent.withdrawnAt === null)
    return (
      <>
        You agreed on <DateTime at={consent.agreedAt} />
        {consent.textVersion >= CONSENT_TEXT_VERSION
          ? "."
          : `, before this text said that media servers may play your videos. Until you agree to that, they do not. ${mayAgree ? "What you agreed to stays in force." : "To agree, ask an administrator for a new link."}`}
      </>
    );
  return (
    <>
      You withdrew your consent on <DateTime at={consent.withdrawnAt} />.{" "}
      {mayAgree
        ? "If you agree again, the copies that stopped continue."
        : "To agree again, ask an administrator for a new link."}
    </>
  );
}
