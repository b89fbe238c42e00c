import * as z from "zod/mini";
import type { AnyCall } from "#contract/call.ts";

/** @throws when an answer does not match the contract, naming the difference. */
export function checkAnswer(call: AnyCall, data: unknown): void {
  const result = z.safeParse(call.data, data);
  if (!result.success)
    throw new Error(
      `The answer of ${call.method} ${call.path} breaks the contract: ${z.prettifyError(result.error)}`,
    );
}
