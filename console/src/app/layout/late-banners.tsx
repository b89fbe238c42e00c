import { NewVersionBanner } from "./new-version-banner.tsx";
import { ReturnBanner } from "./return-banner.tsx";
import { ServerBanner } from "./server-banner.tsx";
import { TwitchBanner } from "./twitch-banner.tsx";

/** Banners that no first view needs. */
export function LateBanners() {
  return (
    <>
      <ServerBanner />
      <NewVersionBanner />
      <ReturnBanner />
      <TwitchBanner />
    </>
  );
}
