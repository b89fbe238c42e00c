import { NewVersionBanner } from "./new-version-banner.tsx";
import { ReturnBanner } from "./return-banner.tsx";
import { TwitchBanner } from "./twitch-banner.tsx";

/** Banners that no first view needs. */
export function LateBanners() {
  return (
    <>
      <NewVersionBanner />
      <ReturnBanner />
      <TwitchBanner />
    </>
  );
}
