import { lazy, Suspense } from "react";
import type { Upload } from "#contract/upload.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";

const UploadDebugPanel = lazy(async () => ({
  default: (await import("./upload-debug-panel.tsx")).UploadDebugPanel,
}));

/** The debug panel comes when the first one is opened. */
export function LazyDebugPanel({ upload }: { readonly upload: Upload }) {
  return (
    <Suspense fallback={<SkeletonFacts rows={6} />}>
      <UploadDebugPanel upload={upload} />
    </Suspense>
  );
}
