import { Suspense, use, type ComponentType, type ReactNode } from "react";
import { loadScript } from "#console/lib/load-script.ts";
import { BrokenPart } from "./broken-part.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";

/** Props of the content that replaces a part that failed. */
type Broken = { readonly error: unknown; readonly onRetry: () => Promise<void> };

/**
 * A part of a screen whose script loads when it first renders, with `waiting` in its place until
 * then. Errors in it, or in loading it, do not affect the rest of the screen; a retry loads again.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting?: ReactNode,
  renderBroken: (broken: Broken, props: P) => ReactNode = (broken) => (
    <BrokenPart title="This part could not be shown" {...broken} />
  ),
): ComponentType<P> {
  let script: Promise<ComponentType<P>> | undefined;
  function WhenLoaded(props: P) {
    const Loaded = use((script ??= loadScript(load)));
    return <Loaded {...props} />;
  }
  return function LazyPart(props: P) {
    function renderError(error: unknown, reset: () => void) {
      async function onRetry() {
        const again = loadScript(load);
        await again;
        script = again;
        reset();
      }
      return renderBroken({ error, onRetry }, props);
    }
    return (
      <ErrorBoundary renderError={renderError}>
        <Suspense fallback={waiting}>
          <WhenLoaded {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  };
}
