import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

/** The debug panel comes when the first one is opened. */
export const LazyDebugPanel = lazyPart(
  async () => (await import("./upload-debug-panel.tsx")).UploadDebugPanel,
  <SkeletonFacts rows={6} />,
);
