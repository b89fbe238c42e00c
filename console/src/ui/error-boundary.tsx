import { Component, type ReactNode } from "react";
import { BrokenPart } from "./broken-part.tsx";

/** What replaces the content; `reset` renders the content again. */
export type RenderError = (error: unknown, reset: () => void) => ReactNode;

const renderBrokenPart: RenderError = (error, reset) => (
  <BrokenPart title="This part could not be shown" error={error} onRetry={async () => reset()} />
);

type Caught = { readonly caught?: { readonly error: unknown } | undefined };

/** Errors in its content do not affect what is around it. */
export class ErrorBoundary extends Component<
  { readonly renderError?: RenderError; readonly children: ReactNode },
  Caught
> {
  override state: Caught = {};

  static getDerivedStateFromError(error: unknown): Caught {
    return { caught: { error } };
  }

  override render() {
    const { caught } = this.state;
    const { renderError = renderBrokenPart, children } = this.props;
    if (caught === undefined) return children;
    return renderError(caught.error, () => this.setState({ caught: undefined }));
  }
}
