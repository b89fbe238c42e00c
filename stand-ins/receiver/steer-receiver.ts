import * as z from "zod/mini";

/** The first that matches a request is given; without one it is 204. */
export type ReceiverAnswer = {
  /** Without a query. */
  readonly path?: string;
  /** Part of the request's body. */
  readonly bodyIncludes?: string;
  /** Other than 204 with a body of 9 kB. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `held` until the next answers are set; `cut`, the connection breaks instead; `endless`, the body
   * goes on for ever; `unended`, it stops after 500 bytes.
   */
  readonly how?: "held" | "cut" | "endless" | "unended";
};

export type ReceiverState = {
  /** Requests that were accepted, in order. */
  readonly received: readonly {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[];
  readonly heldCount: number;
};

/** The receiver's own state, not validated. */
const vouchedFor = z.custom<ReceiverState>();

/** Controls the receiver at `url`, which may run in another process. */
export function steerReceiver(url: string) {
  return {
    async answer(...answers: readonly ReceiverAnswer[]): Promise<void> {
      await fetch(`${url}/_control/answers`, { method: "PUT", body: JSON.stringify(answers) });
    },
    async state(): Promise<ReceiverState> {
      return vouchedFor.parse(await (await fetch(`${url}/_control/state`)).json());
    },
  };
}
