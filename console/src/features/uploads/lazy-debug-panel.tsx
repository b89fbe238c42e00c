import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";

/** Loads when the first debug panel opens. */
export const LazyDebugPanel = lazyPart(
  async () => (await import("./upload-debug-panel.tsx")).UploadDebugPanel,
  <SkeletonFacts rows={6} />,
);
