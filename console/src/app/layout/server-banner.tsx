import { useQuery } from "@tanstack/react-query";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { useOnline } from "#console/lib/online.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Time } from "#console/ui/time.tsx";

/** Says once, for every part of the screen, that the server gives no answers, and since when. */
export function ServerBanner() {
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
