import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { beginFirstDeviceSignIn, beginFirstSignIn, readSetup } from "#contract/setup.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { request } from "#console/lib/api-request.ts";
import { SETUP_CODE_KEY, tabStore } from "#console/lib/browser-storage.ts";
import { forgetConsentPage } from "#console/lib/consent-return.ts";
import { Button } from "#console/ui/button.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { Gate } from "../gates/gate.tsx";
import { LoadingGate } from "../gates/loading-gate.tsx";
import { SignInButtons } from "../gates/sign-in-buttons.tsx";
import { ApplicationForm } from "./application-form.tsx";

const TITLE = "Set up Vodkeep";

/** While the service restarts, which takes a few seconds. */
const POLL_MS = 1_000;

/**
 * The first ten minutes, before anybody can sign in: the Twitch application, then the first
 * administrator. The code comes from the terminal, in the address's fragment or typed.
 */
export function SetupGate() {
  const [code, setCode] = useState(() => tabStore.getItem(SETUP_CODE_KEY) ?? "");
  const [hasStored, setStored] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const queryKey = ["setup", code];
  const setup = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      tabStore.removeItem(SETUP_CODE_KEY);
      const answer = await request(readSetup, { body: { code }, signal }, null);
      tabStore.setItem(SETUP_CODE_KEY, code);
      return answer;
    },
    enabled: code !== "",
    retry: false,
    staleTime: Infinity,
    refetchInterval: ({ state }) => hasStored && state.data?.credentials === "none" && POLL_MS,
  });
  useEffect(() => {
    function takeCode() {
      const given = window.location.hash.slice(1);
      if (given === "") return;
      setCode(given);
      // The history of the browser must not keep it.
      window.history.replaceState(window.history.state, "", window.location.pathname);
    }
    takeCode();
    window.addEventListener("hashchange", takeCode);
    return () => window.removeEventListener("hashchange", takeCode);
  }, []);
  const { data, error } = setup;

  if (hasStored && data?.credentials === "none")
    return <LoadingGate text="Restarting with these credentials" />;
  if (code !== "" && setup.isPending) return <LoadingGate text="Opening the setup" />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Gate
        title={TITLE}
        text="The setup is closed: there is an administrator, or this page was opened at another address than PUBLIC_URL, or through a proxy."
      >
        <Button large onClick={() => void navigate({ to: "/" })}>
          Go to the console
        </Button>
      </Gate>
    );
  if (data === undefined)
    return (
      <CodeForm
        code={code}
        error={error === null ? undefined : messageOf(error)}
        onCode={setCode}
      />
    );
  if (data.credentials === "none" || isChanging)
    return (
      <Gate
        wide
        title={TITLE}
        text={
          isChanging
            ? "1 of 2: use another Twitch application."
            : "1 of 2: connect the real Twitch."
        }
      >
        <ApplicationForm
          code={code}
          redirectUri={data.redirectUri}
          redirectAdvice={data.redirectAdvice}
          hasTrialData={data.hasTrialData}
          onStored={() => {
            queryClient.setQueryData(queryKey, { ...data, credentials: "none" });
            setChanging(false);
            setStored(true);
          }}
        />
      </Gate>
    );
  return (
    <Gate wide title={TITLE} text="2 of 2: sign in with the account that will administer Vodkeep.">
      <p>
        {data.credentials === "environment"
          ? "The Twitch application is the one of the environment (TWITCH_CLIENT_ID), which wins over stored credentials."
          : "Twitch has accepted the application, and its credentials are stored."}{" "}
        The account that you sign in with gets every permission, and this page closes. The dashboard
        then shows what is still to do: storage, a first archive, notifications and a backup.
      </p>
      <SignInButtons
        onBegin={forgetConsentPage}
        begin={() => request(beginFirstSignIn, { body: { code } }, null)}
        beginByCode={() => request(beginFirstDeviceSignIn, { body: { code } }, null)}
      />
      {data.credentials === "stored" && (
        <Button large kind="quiet" onClick={() => setChanging(true)}>
          Use another Twitch application
        </Button>
      )}
    </Gate>
  );
}

function CodeForm({
  code,
  error,
  onCode,
}: {
  /** What was refused. */
  readonly code: string;
  readonly error: string | undefined;
  readonly onCode: (code: string) => void;
}) {
  const [typed, setTyped] = useState(code);
  return (
    <Gate title={TITLE} text="The code is in the terminal in which Vodkeep was started.">
      <form
        className="stack gap4"
        onSubmit={(event) => {
          event.preventDefault();
          onCode(typed.trim());
        }}
      >
        <TextField
          label="Setup code"
          hint="Without a terminal: the file setup-code in the data folder."
          spellCheck={false}
          required
          value={typed}
          error={error}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button kind="primary" large type="submit">
          Continue
        </Button>
      </form>
    </Gate>
  );
}
