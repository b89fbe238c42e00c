import { createStore } from "@tanstack/react-store";
import type { AnyCall, DataOf } from "#contract/call.ts";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { ApiError } from "./api-error.ts";
import { request, type CallInput } from "./api-request.ts";
import { ensureFreshToken, refreshSession } from "./session-refresh.ts";
import { recheckRights } from "./session-rights.ts";
import { serverNowMs } from "./server-clock.ts";
import { setSignedOut, storedToken } from "./session-store.ts";

/** Whether a call was refused because the sign-in is too old; the layout then offers a new one. */
export const signInAsked = createStore(false);

function isSignInTooOld(error: unknown): boolean {
  return error instanceof ApiError && SIGN_IN_TOO_OLD in error.details;
}

function statusOf(error: unknown): number | null {
  return error instanceof ApiError ? error.status : null;
}

/** The input of a call, which may be omitted if the call requires nothing. */
export type CallArguments<C> =
  CallInput<C> extends { params?: undefined; body?: undefined }
    ? [input?: CallInput<C>]
    : [input: CallInput<C>];

/**
 * Makes a call as the signed-in administrator: `call(listUploads, { query: { page: 2 } })`.
 *
 * The bearer is renewed before it expires. After a 401 it is renewed by the cookie and the call is
 * repeated once; if that fails too, the session is over and the login screen opens. Throws
 * `ApiError`.
 */
export async function call<C extends AnyCall>(
  which: C,
  ...[input]: CallArguments<C>
): Promise<DataOf<C>> {
  // Absent only if the call requires nothing.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const given = input ?? ({} as CallInput<C>);
  let token: string | null = null;
  try {
    await ensureFreshToken(serverNowMs());
    token = storedToken();
    return await request(which, given, token);
  } catch (error) {
    if (isSignInTooOld(error)) signInAsked.setState(() => true);
    else if (statusOf(error) === 403) recheckRights(serverNowMs());
    if (statusOf(error) !== 401) throw error;
  }
  try {
    await refreshSession(token);
    return await request(which, given, storedToken());
  } catch (error) {
    if (statusOf(error) === 401) setSignedOut(true);
    throw error;
  }
}
