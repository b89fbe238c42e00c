import * as z from "zod/mini";
import type { TwitchControl } from "./control.ts";

/** The control of a stand-in that runs elsewhere. Arguments and results are JSON. */
export type TwitchSteering = {
  readonly [Method in keyof TwitchControl]: (
    ...parameters: Parameters<TwitchControl[Method]>
  ) => Promise<Awaited<ReturnType<TwitchControl[Method]>>>;
};

/** Methods of the stand-in's own control; results are not validated. */
const vouchedFor = z.custom<TwitchSteering>();

const vouchedForMethod = z.custom<(...parameters: readonly unknown[]) => unknown>();

const answerSchema = z.object({ result: z.optional(z.unknown()) });

/** Controls the stand-in at `url`. `prepare` runs before each call. */
export function steerTwitch(
  url: string,
  prepare: () => Promise<void> = async () => undefined,
): TwitchSteering {
  return steering(async (method, parameters) => {
    await prepare();
    const response = await fetch(`${url}/_control/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(parameters),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: ${text}`);
    return answerSchema.parse(JSON.parse(text)).result;
  });
}

/** Controls the stand-in of this process as one that runs elsewhere. */
export function steerDirectly(control: TwitchControl): TwitchSteering {
  return steering(async (method, parameters) =>
    Reflect.apply(vouchedForMethod.parse(Reflect.get(control, method)), control, parameters),
  );
}

function steering(
  steer: (method: string, parameters: readonly unknown[]) => Promise<unknown>,
): TwitchSteering {
  return vouchedFor.parse(
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...parameters: readonly unknown[]) =>
            steer(String(method), parameters),
      },
    ),
  );
}
