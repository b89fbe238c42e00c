import { useQuery } from "@tanstack/react-query";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";

/** While the hourly checks of Twitch keep failing. Only the bell asks for the answer. */
export function TwitchBanner() {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const fault = data?.twitchFault ?? null;
  if (fault === null) return null;
  return (
    <Banner tone="bad">Checks of Twitch fail, so archives may too. {visibleText(fault)}</Banner>
  );
}
