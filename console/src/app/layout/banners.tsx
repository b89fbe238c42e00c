import { queryOptions, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { X } from "lucide-react";
import { useState } from "react";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { useOnline } from "#console/lib/online.ts";
import { usePolling } from "#console/lib/polling.ts";
import { forgetReturnPath, returnPath } from "#console/lib/return-path.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { usesTwitchStandIn } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button, IconButton } from "#console/ui/button.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Time } from "#console/ui/time.tsx";

const BulkRunBar = lazyPart(
  async () => (await import("#console/ui/list/bulk-run-bar.tsx")).BulkRunBar,
);

/** What concerns every screen. */
export function Banners() {
  return (
    <>
      {usesTwitchStandIn() && (
        <Banner tone="warn">
          No Twitch credentials are set: a local stand-in makes up accounts and videos.
        </Banner>
      )}
      <ServerBanner />
      <NewVersionBanner />
      <ReturnBanner />
      <TwitchBanner />
      <BulkRunNotice />
    </>
  );
}

/** The current bulk run on every screen, so that leaving the list hides nothing. */
function BulkRunNotice() {
  const state = useSelector(bulkState);
  return (state.progress ?? state.report) && <BulkRunBar {...state} />;
}

/** Says once, for every part of the screen, that the server gives no answers, and since when. */
function ServerBanner() {
  const status = useServerStatus();
  const isOnline = useOnline();
  // The bell asks every half a minute.
  const { dataUpdatedAt } = useQuery({ ...inboxQuery(), enabled: false });
  if (status === "Online") return null;
  if (!isOnline)
    return <Banner tone="bad">You are offline. The data shown may be out of date.</Banner>;
  return (
    <Banner tone="bad">
      {status === "Offline" ? "The server cannot be reached. " : "The server answers with errors. "}
      {dataUpdatedAt !== 0 && (
        <>
          It last worked <Time at={new Date(dataUpdatedAt).toISOString()} />.{" "}
        </>
      )}
      The data shown may be out of date.
    </Banner>
  );
}

const CHECK_EVERY_MS = 5 * 60_000;

const newVersionQuery = queryOptions({
  queryKey: ["new version"],
  queryFn: hasNewVersion,
  initialData: false,
});

/** Offers to reload once the server has another build. The browser asks before input is lost. */
function NewVersionBanner() {
  const newVersion = useQuery(newVersionQuery);
  usePolling(newVersion, CHECK_EVERY_MS);
  const isBulkRunning = useSelector(bulkState, ({ progress }) => progress !== null);
  if (!newVersion.data) return null;
  return (
    <Banner
      tone="info"
      actions={
        <Button
          onClick={() => window.location.reload()}
          disabledReason={isBulkRunning ? "Wait until the bulk run has finished" : undefined}
        >
          Reload
        </Button>
      }
    >
      New version available
    </Banner>
  );
}

/** The names of the page's scripts contain a hash of the build. Development has no such names. */
async function hasNewVersion(): Promise<boolean> {
  const own = document.querySelector('script[src*="/assets/"]')?.getAttribute("src");
  if (typeof own !== "string") return false;
  const response = await fetch(`${BASE_PATH}/`, { cache: "no-cache" });
  const page = await response.text();
  // A proxy in front may answer with a page of its own.
  return response.ok && page.includes('name="base-path"') && !page.includes(own);
}

/** Offers to return to the page that was open before the sign-in. */
function ReturnBanner() {
  const router = useRouter();
  const [path, setPath] = useState(returnPath);
  if (path === null) return null;
  function dismiss() {
    forgetReturnPath();
    setPath(null);
  }
  function goBack(target: string) {
    dismiss();
    void router.navigate({ href: target });
  }
  return (
    <Banner
      tone="info"
      actions={
        <>
          <Button onClick={() => goBack(path)}>Return</Button>
          <IconButton label="Dismiss" onClick={dismiss}>
            <X />
          </IconButton>
        </>
      }
    >
      Before you signed in, you were at <strong>{path}</strong>.
    </Banner>
  );
}

/** While the hourly checks of Twitch keep failing. Only the bell asks for the answer. */
function TwitchBanner() {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const fault = data?.twitchFault ?? null;
  if (fault === null) return null;
  return (
    <Banner tone="bad">Checks of Twitch fail, so archives may too. {visibleText(fault)}</Banner>
  );
}
