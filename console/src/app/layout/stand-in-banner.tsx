import { usesTwitchStandIn } from "#console/lib/session.ts";
import { Banner } from "#console/ui/banner.tsx";

export function StandInBanner() {
  if (!usesTwitchStandIn()) return null;
  return (
    <Banner tone="warn">
      No Twitch credentials are set: this console works with a local stand-in for Twitch, whose
      accounts and videos are made up.
    </Banner>
  );
}
