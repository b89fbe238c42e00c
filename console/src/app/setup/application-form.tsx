import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { storeTwitchApplication } from "#contract/setup.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { request } from "#console/lib/api-request.ts";
import { Button } from "#console/ui/button.tsx";
import { Copyable } from "#console/ui/copy-button.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { GateNotice } from "../gates/gate.tsx";

/** The service asks Twitch up to three times. */
const TIMEOUT_MS = 15_000;

/** How to register a Twitch application, and its credentials. */
export function ApplicationForm({
  code,
  redirectUri,
  redirectAdvice,
  hasTrialData,
  onStored,
}: {
  readonly code: string;
  readonly redirectUri: string;
  /** What to do where Twitch refuses that address. */
  readonly redirectAdvice: string | undefined;
  readonly hasTrialData: boolean;
  readonly onStored: () => void;
}) {
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function store() {
    setBusy(true);
    setError(undefined);
    try {
      const body = { code, clientId: clientId.trim(), clientSecret: clientSecret.trim() };
      await request(storeTwitchApplication, { body, timeoutMs: TIMEOUT_MS }, null);
      onStored();
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  }

  return (
    <form
      className="stack gap4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void store();
      }}
    >
      <p>
        Register an application at{" "}
        <a href="https://dev.twitch.tv/console/apps/create" target="_blank" rel="noreferrer">
          dev.twitch.tv
        </a>{" "}
        with any name, the category “Website Integration”, the client type “Confidential”, and{" "}
        {redirectAdvice === undefined
          ? "exactly this OAuth redirect URL:"
          : "this OAuth redirect URL, which is not used:"}
      </p>
      <p className="row anywhere">
        <Copyable
          text={redirectAdvice === undefined ? redirectUri : "http://localhost"}
          label="redirect URL"
        />
      </p>
      {redirectAdvice !== undefined && (
        <GateNotice icon={<TriangleAlert />} title="This address is not encrypted">
          {redirectAdvice} Until then, others in this network can read what you enter here.
        </GateNotice>
      )}
      <TextField
        label="Client ID"
        spellCheck={false}
        required
        value={clientId}
        onChange={({ target }) => setClientId(target.value)}
      />
      <TextField
        label="Client secret"
        type="password"
        required
        value={clientSecret}
        hint="Made by “New Secret” on the application's page. It is stored encrypted in the data folder."
        error={error}
        onChange={({ target }) => setClientSecret(target.value)}
      />
      {hasTrialData && (
        <p className="note">
          What you tried so far stays stored, but stops: its users lose all permissions, its
          channels are paused, consents end, and unfinished archives of Twitch are cancelled. To
          start empty instead, stop Vodkeep, move the data folder away and start it again.
        </p>
      )}
      <Button kind="primary" large type="submit" busy={isBusy}>
        Check and store
      </Button>
    </form>
  );
}
