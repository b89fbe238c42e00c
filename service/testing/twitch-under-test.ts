import { host } from "#host-under-test";
import type { Clock } from "#service/ports/clock.ts";
import { steerTwitch, type TwitchSteering } from "#stand-ins/twitch/control/steer-twitch.ts";
import type { SteeredTwitch, SteeredTwitchOptions } from "./host-under-test.ts";

/** The stand-in and its control, on any host. */
export type TwitchUnderTest = SteeredTwitch & { readonly control: TwitchSteering };

export async function startTwitchUnderTest(
  options: SteeredTwitchOptions,
  clock: Clock,
): Promise<TwitchUnderTest> {
  const twitch = await host.startTwitch(options, clock);
  return { ...twitch, control: steerTwitch(twitch.url, () => twitch.keepTime()) };
}
