import {
  startTwitchStandIn,
  type TwitchStandIn,
  type TwitchStandInOptions,
} from "../twitch/server.ts";

export type SteeredStandIn = Pick<
  TwitchStandIn,
  "idUrl" | "apiUrl" | "gqlUrl" | "usherUrl" | "mediaHost" | "close"
> & {
  /** Calls a method of the stand-in's control by name, with parameters parsed from JSON. */
  steer(method: string, parameters: readonly unknown[]): Promise<unknown>;
};

/** A Twitch stand-in whose control methods are called by name, as from another process. */
export async function startSteeredTwitch(options: TwitchStandInOptions): Promise<SteeredStandIn> {
  const { control, ...standIn } = await startTwitchStandIn(options);
  return {
    ...standIn,
    async steer(method, parameters) {
      const action: unknown = Reflect.get(control, method);
      if (typeof action !== "function") throw new Error(`The stand-in has no control ${method}`);
      return (await Reflect.apply(action, control, parameters)) as unknown;
    },
  };
}
