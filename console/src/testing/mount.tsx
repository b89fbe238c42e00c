import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { onTestFinished } from "vitest";
import { createQueryClient } from "#console/lib/query-client.ts";
import { ToastRegion } from "#console/ui/toast-region.tsx";
import { toast } from "#console/ui/toast-store.ts";

/** Renders as main.tsx does, beside the toasts, until the test ends. */
export function mount(children: ReactNode): HTMLElement {
  const container = document.createElement("div");
  document.body.append(container);
  const root = createRoot(container);
  const queryClient = createQueryClient();
  onTestFinished(() => {
    root.unmount();
    container.remove();
    queryClient.clear();
    for (const { id } of toast.store.state.shown) toast.dismiss(id);
    toast.store.setState((before) => ({ ...before, history: [] }));
  });
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        {children}
        <ToastRegion />
      </QueryClientProvider>
    </StrictMode>,
  );
  return container;
}
