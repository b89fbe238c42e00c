import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { Banner } from "#console/ui/banner.tsx";

const healthSchema = z.object({ twitch: z.optional(z.enum(["real", "stand-in"])) });

/** Asks the service's health page, which says which Twitch it talks to. */
async function usesStandIn(): Promise<boolean> {
  const response = await fetch("/healthz");
  const parsed = healthSchema.safeParse(await response.json());
  return parsed.success && parsed.data.twitch === "stand-in";
}

export function StandInBanner() {
  const { data } = useQuery({
    queryKey: ["stand-in"],
    queryFn: usesStandIn,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (data !== true) return null;
  return (
    <Banner tone="warn">
      No Twitch credentials are set: this console works with a local stand-in for Twitch, whose
      accounts and videos are made up.
    </Banner>
  );
}
