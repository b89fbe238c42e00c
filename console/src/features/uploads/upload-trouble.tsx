import type { Upload } from "#contract/upload.ts";
import { FAILURE_ADVICE } from "#console/domain/uploads/upload-rules.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";

/** Why an upload stalls, waits or failed, and what to do about it; nothing if all is well. */
export function UploadTrouble({ upload }: { readonly upload: Upload }) {
  const { debugInfo, errorMessage, failureClass, status } = upload;
  // A waiting upload continues by itself and needs no advice.
  const advice = status === "failed" && failureClass !== null && FAILURE_ADVICE[failureClass];
  return (
    <>
      {debugInfo.isStalled && (
        <Banner tone="warn">
          <strong>STALLED</strong>: No progress for over 10 minutes.
          {debugInfo.stallReason !== null && ` ${visibleText(debugInfo.stallReason)}`}
        </Banner>
      )}
      {errorMessage !== null && (
        <Banner tone={status === "failed" ? "bad" : "warn"}>
          {visibleText(errorMessage)}
          {advice !== false && (
            <>
              <br />
              <strong>{advice.label}.</strong> {advice.advice}
            </>
          )}
        </Banner>
      )}
    </>
  );
}
