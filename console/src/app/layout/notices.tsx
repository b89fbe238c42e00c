import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSelector } from "@tanstack/react-store";
import { CircleAlert, Info } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { useOnline } from "#console/lib/online.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { toneStyle } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Time } from "#console/ui/time.tsx";
import bellStyles from "./bell.module.css";
import styles from "./top-bar.module.css";

type Notice = {
  readonly tone: "bad" | "info";
  readonly text: ReactNode;
  readonly actions?: ReactNode;
};

/** What concerns every screen and may come late: in the top bar, where it moves nothing below. */
export function Notices() {
  const notices = [useServerNotice(), useTwitchNotice(), useNewVersionNotice()].filter(
    (notice) => notice !== null,
  );
  const [first] = notices;
  return (
    <div className={styles.notices} role="status">
      {first !== undefined && <NoticeButton first={first} notices={notices} />}
    </div>
  );
}

/** The first notice on one line, below the width of laptops as an icon; all in full on a click. */
function NoticeButton({
  first: { tone, text },
  notices,
}: {
  readonly first: Notice;
  readonly notices: readonly Notice[];
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={classNames("row", styles.unsent, styles.notice)}
        style={toneStyle(tone)}
        popoverTarget={id}
        aria-expanded={open}
      >
        {tone === "bad" ? <CircleAlert /> : <Info />}
        <span className="oneLine">{text}</span>
        {notices.length > 1 && `+${notices.length - 1}`}
      </button>
      <section
        id={id}
        popover="auto"
        className={bellStyles.panel}
        aria-label="Notices"
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open &&
          notices.map((notice, index) => (
            <Banner key={index} tone={notice.tone} actions={notice.actions}>
              {notice.text}
            </Banner>
          ))}
      </section>
    </>
  );
}

/** Says once, for every part of the screen, that the server gives no answers, and since when. */
function useServerNotice(): Notice | null {
  const status = useServerStatus();
  const isOnline = useOnline();
  // The bell asks every half a minute.
  const { dataUpdatedAt } = useQuery({ ...inboxQuery(), enabled: false });
  if (status === "Online") return null;
  if (!isOnline)
    return { tone: "bad", text: "You are offline. The data shown may be out of date." };
  const text = (
    <>
      {status === "Offline" ? "The server cannot be reached. " : "The server answers with errors. "}
      {dataUpdatedAt !== 0 && (
        <>
          It last worked <Time at={new Date(dataUpdatedAt).toISOString()} />.{" "}
        </>
      )}
      The data shown may be out of date.
    </>
  );
  return { tone: "bad", text };
}

/** While the hourly checks of Twitch keep failing. Only the bell asks for the answer. */
function useTwitchNotice(): Notice | null {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const fault = data?.twitchFault ?? null;
  if (fault === null) return null;
  return {
    tone: "bad",
    text: `Checks of Twitch fail, so archives may too. ${visibleText(fault)}`,
  };
}

const CHECK_EVERY_MS = 5 * 60_000;

const newVersionQuery = queryOptions({
  queryKey: ["new version"],
  queryFn: hasNewVersion,
  initialData: false,
});

/** Offers to reload once the server has another build. The browser asks before input is lost. */
function useNewVersionNotice(): Notice | null {
  const newVersion = useQuery(newVersionQuery);
  usePolling(newVersion, CHECK_EVERY_MS);
  const isBulkRunning = useSelector(bulkState, ({ progress }) => progress !== null);
  if (!newVersion.data) return null;
  const actions = (
    <Button
      onClick={() => window.location.reload()}
      disabledReason={isBulkRunning ? "Wait until the bulk run has finished" : undefined}
    >
      Reload
    </Button>
  );
  return { tone: "info", text: "New version available", actions };
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
