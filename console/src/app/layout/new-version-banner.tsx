import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSelector } from "@tanstack/react-store";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { usePolling } from "#console/lib/polling.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";

const CHECK_EVERY_MS = 5 * 60_000;

const newVersionQuery = queryOptions({
  queryKey: ["new version"],
  queryFn: hasNewVersion,
  initialData: false,
});

/** Offers to reload once the server has another build. The browser asks before input is lost. */
export function NewVersionBanner() {
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
