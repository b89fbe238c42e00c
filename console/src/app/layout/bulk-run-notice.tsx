import { useSelector } from "@tanstack/react-store";
import { bulkState } from "#console/lib/bulk-state.ts";
import { lazyPart } from "#console/ui/lazy-part.tsx";

const BulkRunBar = lazyPart(
  async () => (await import("#console/ui/list/bulk-run-bar.tsx")).BulkRunBar,
);

/** The current bulk run on every screen, so that leaving the list hides nothing. */
export function BulkRunNotice() {
  const state = useSelector(bulkState);
  if (state.progress === null && state.report === null) return null;
  return <BulkRunBar {...state} />;
}
