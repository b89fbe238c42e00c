import { Component, Suspense, use, type ComponentType, type ReactNode } from "react";
import { loadScript } from "#console/lib/load-script.ts";
import { BrokenPart } from "./broken-part.tsx";

/**
 * A part of a screen whose script loads when it first renders, with `waiting` in its place until
 * then. Errors in it, or in loading it, do not affect the rest of the screen.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting?: ReactNode,
  renderError: (error: unknown, props: P) => ReactNode = (error) => (
    <BrokenPart title="This part could not be shown" error={error} />
  ),
): ComponentType<P> {
  let script: Promise<ComponentType<P>> | undefined;
  function WhenLoaded(props: P) {
    const Loaded = use((script ??= loadScript(load)));
    return <Loaded {...props} />;
  }
  return function LazyPart(props: P) {
    return (
      <ErrorBoundary renderError={(error) => renderError(error, props)}>
        <Suspense fallback={waiting}>
          <WhenLoaded {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  };
}

type Caught = { readonly caught?: { readonly error: unknown } };

class ErrorBoundary extends Component<
  { readonly renderError: (error: unknown) => ReactNode; readonly children: ReactNode },
  Caught
> {
  override state: Caught = {};

  static getDerivedStateFromError(error: unknown): Caught {
    return { caught: { error } };
  }

  override render() {
    const { caught } = this.state;
    return caught === undefined ? this.props.children : this.props.renderError(caught.error);
  }
}
