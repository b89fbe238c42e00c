import { useRouter, useRouterState } from "@tanstack/react-router";

/** What the palette leaves to a screen, which asks about it or shows its result. */
export type Begun = "clear" | "examine" | "pause" | "restart" | "verify";

declare module "@tanstack/history" {
  interface HistoryState {
    begun?: Begun | undefined;
  }
}

/** What the palette has begun here, and what ends it. It is not in the address: no link begins it. */
export function useBegun(): readonly [Begun | undefined, () => void] {
  const { history } = useRouter();
  const begun = useRouterState({ select: ({ location }) => location.state.begun });
  return [begun, () => history.replace(history.location.href, {})];
}
