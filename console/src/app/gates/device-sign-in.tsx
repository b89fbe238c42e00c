import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import {
  beginDeviceSignIn,
  finishDeviceSignIn,
  type DeviceSignIn,
} from "#contract/device-sign-in.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { request } from "#console/lib/api-request.ts";
import { takeConsentPage } from "#console/lib/consent-return.ts";
import { storeGrant } from "#console/lib/session-store.ts";
import { isSignInAddress } from "#console/lib/sign-in.ts";
import { Button } from "#console/ui/button.tsx";
import { Copyable } from "#console/ui/copy-button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./gate.module.css";

/** What a refusal of too early a question adds to the interval (RFC 8628 section 3.5). */
const SLOWER_MS = 5_000;

/**
 * A sign-in without a return to this address: its user confirms a code at Twitch, in any browser, while
 * this one asks for the outcome as often as Twitch allows.
 */
export function DeviceSignInButton({
  onBegin,
  begin = () => request(beginDeviceSignIn, {}, null),
  isMain,
}: {
  readonly onBegin: () => void;
  /** Another call that starts a sign-in by a code. */
  readonly begin?: (() => Promise<DeviceSignIn>) | undefined;
  /** There is no other way in. */
  readonly isMain: boolean;
}) {
  const [isBusy, setBusy] = useState(false);
  const [begun, setBegun] = useState<DeviceSignIn>();
  const [problem, setProblem] = useState<string>();
  async function start() {
    setBusy(true);
    setProblem(undefined);
    onBegin();
    try {
      const answer = await begin();
      if (!isSignInAddress(answer.verificationUri, "www.twitch.tv"))
        throw new Error("That page is not Twitch's");
      setBegun(answer);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  }
  function end(reason: string) {
    setBegun(undefined);
    setProblem(reason);
  }
  if (begun !== undefined) return <DeviceCode key={begun.state} begun={begun} onEnd={end} />;
  return (
    <>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <Button kind={isMain ? "primary" : "quiet"} large busy={isBusy} onClick={() => void start()}>
        Sign in with a code
      </Button>
    </>
  );
}

function DeviceCode({
  begun,
  onEnd,
}: {
  readonly begun: DeviceSignIn;
  readonly onEnd: (reason: string) => void;
}) {
  const navigate = useNavigate();
  const end = useEffectEvent(onEnd);
  const leave = useEffectEvent(() => {
    const page = takeConsentPage();
    if (page === null) return navigate({ to: "/", replace: true });
    const params = page.token === null ? {} : { token: page.token };
    return navigate({ to: "/consent/{-$token}", params, replace: true });
  });
  useEffect(() => {
    const { state, intervalSec, expiresAt } = begun;
    const waiting = new AbortController();
    const { signal } = waiting;
    let intervalMs = intervalSec * 1_000;
    let timer = setTimeout(() => void ask(), intervalMs);
    async function ask() {
      if (Date.now() >= Date.parse(expiresAt)) return end("The code has expired. Get a new one.");
      try {
        const { grant, isTooFast } = await request(
          finishDeviceSignIn,
          { body: { state }, signal },
          null,
        );
        if (signal.aborted) return undefined;
        if (grant !== null) {
          storeGrant(grant);
          if (grant.admin.isAdmin) toast.success("Successfully logged in!");
          return await leave();
        }
        if (isTooFast) intervalMs += SLOWER_MS;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (isFinal(error)) return end(messageOf(error));
        intervalMs += SLOWER_MS;
      }
      timer = setTimeout(() => void ask(), intervalMs);
      return undefined;
    }
    return () => {
      waiting.abort();
      clearTimeout(timer);
    };
  }, [begun]);
  return (
    <div className="stack gap3">
      <p>
        Open{" "}
        <a href={begun.verificationUri} target="_blank" rel="noreferrer">
          twitch.tv/activate
        </a>{" "}
        on any device, and enter this code. Confirm a code only if you see it here, on your own
        screen.
      </p>
      <p className={classNames("row", styles.code)}>
        <Copyable text={begun.userCode} label="code" />
      </p>
      <p className="note" role="status">
        Waiting for Twitch. The code is valid for half an hour.
      </p>
    </div>
  );
}

/** Trouble on the way passes; what the service or Twitch refuses does not. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && ["invalid_request", "forbidden"].includes(error.code);
}
