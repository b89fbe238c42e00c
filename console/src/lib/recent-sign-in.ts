import { createStore } from "@tanstack/react-store";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { ApiError } from "./api-error.ts";

/** Whether a call was refused because the sign-in is too old; the layout then offers a new one. */
export const signInAsked = createStore(false);

export function isSignInTooOld(error: unknown): boolean {
  return error instanceof ApiError && SIGN_IN_TOO_OLD in error.details;
}
