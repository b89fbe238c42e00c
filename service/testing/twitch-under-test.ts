import * as z from "zod/mini";
import { host } from "#host-under-test";
import type { Clock } from "#service/ports/clock.ts";
import type { TwitchControl } from "#stand-ins/twitch/control/control.ts";
import type { SteeredTwitch, SteeredTwitchOptions, TwitchAddresses } from "./host-under-test.ts";

/** The stand-in's control, on any host. Arguments and results are JSON. */
export type TwitchSteering = {
  readonly [Method in Exclude<keyof TwitchControl, "served">]: (
    ...parameters: Parameters<TwitchControl[Method]>
  ) => Promise<Awaited<ReturnType<TwitchControl[Method]>>>;
};

export type TwitchUnderTest = Pick<SteeredTwitch, "keepTime" | "close"> &
  TwitchAddresses & { readonly control: TwitchSteering };

/** Methods of the stand-in's own control; results are not validated. */
const vouchedFor = z.custom<TwitchSteering>();

export async function startTwitchUnderTest(
  options: SteeredTwitchOptions,
  clock: Clock,
): Promise<TwitchUnderTest> {
  const twitch = await host.startTwitch(options, clock);
  const control = new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...parameters: readonly unknown[]) =>
          twitch.steer(String(method), parameters),
    },
  );
  return {
    ...twitch.addresses,
    control: vouchedFor.parse(control),
    keepTime: () => twitch.keepTime(),
    close: () => twitch.close(),
  };
}
