import { useSyncExternalStore } from "react";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { ApiError } from "./api-error.ts";

/** Whether a call was refused because the sign-in is too old; the layout then offers a new one. */
let isAsked = false;
const listeners = new Set<() => void>();

function set(asked: boolean): void {
  isAsked = asked;
  for (const listener of listeners) listener();
}

export function isSignInTooOld(error: unknown): boolean {
  return error instanceof ApiError && SIGN_IN_TOO_OLD in error.details;
}

export function askForSignIn(): void {
  set(true);
}

export function forgetAskedSignIn(): void {
  set(false);
}

export function useSignInAsked(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAsked,
  );
}
