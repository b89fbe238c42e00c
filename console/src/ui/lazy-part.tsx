import {
  startTransition,
  useLayoutEffect,
  useState,
  type ComponentType,
  type ReactNode,
} from "react";
import { loadScript } from "#console/lib/load-script.ts";
import { whenIdle } from "#console/lib/when-idle.ts";
import { BrokenPart } from "./broken-part.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";

/** Props of the content that replaces a part that failed. */
type Broken = { readonly error: unknown; readonly onRetry: () => Promise<void> };

/**
 * A part of a screen whose script loads when the browser is idle, on `preload`, or at the latest when
 * it first renders, with `waiting` in its place until then. Errors in it, or in loading it, do not
 * affect the rest of the screen; a retry loads again. Does without Suspense, which would keep
 * `waiting` for 300 ms; a transition keeps React from drawing the part in one long task.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting?: ReactNode | ((props: P) => ReactNode),
  renderBroken: (broken: Broken, props: P) => ReactNode = (broken) => (
    <BrokenPart title="This part could not be shown" {...broken} />
  ),
): ComponentType<P> & { readonly preload: () => Promise<void> } {
  let Loaded: ComponentType<P> | undefined;
  async function loadPart(): Promise<void> {
    Loaded = await loadScript(load);
  }
  async function preload(): Promise<void> {
    try {
      Loaded ??= await load();
    } catch {
      // It loads when it renders.
    }
  }
  whenIdle(preload);
  function WhenLoaded(props: P) {
    const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
    const [Part, setPart] = useState(() => Loaded);
    useLayoutEffect(() => {
      if (Part !== undefined) return;
      loadPart().then(
        () => startTransition(() => setPart(() => Loaded)),
        (error: unknown) => setFailure({ error }),
      );
    }, [Part]);
    if (failure !== null) throw failure.error;
    if (Part !== undefined) return <Part {...props} />;
    return typeof waiting === "function" ? waiting(props) : waiting;
  }
  function LazyPart(props: P) {
    function renderError(error: unknown, reset: () => void) {
      async function onRetry() {
        await loadPart();
        reset();
      }
      return renderBroken({ error, onRetry }, props);
    }
    return (
      <ErrorBoundary renderError={renderError}>
        <WhenLoaded {...props} />
      </ErrorBoundary>
    );
  }
  return Object.assign(LazyPart, { preload });
}
