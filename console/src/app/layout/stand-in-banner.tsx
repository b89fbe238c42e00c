import { usesTwitchStandIn } from "#console/lib/session.ts";
import { Banner } from "#console/ui/banner.tsx";

export function StandInBanner() {
  if (!usesTwitchStandIn()) return null;
  return (
    <Banner tone="warn">
      No Twitch credentials are set: a local stand-in makes up accounts and videos.
    </Banner>
  );
}
