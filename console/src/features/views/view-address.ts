import type { SavedView } from "#contract/views.ts";

/** Where a view leads to in the console. */
export function addressOfView({ screen, search }: Pick<SavedView, "screen" | "search">): string {
  return search === "" ? screen : `${screen}?${search}`;
}
