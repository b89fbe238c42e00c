import type { SavedView } from "#contract/views.ts";

/** Path of a view in the console. */
export function addressOfView({ screen, search }: Pick<SavedView, "screen" | "search">): string {
  return search === "" ? screen : `${screen}?${search}`;
}
