import { createStore } from "@tanstack/react-store";
import { visibleText } from "#console/lib/visible-text.ts";

/**
 * Short messages at the top right. Successes stay 2 s and everything else 4 s; loading ones stay
 * until they are dismissed; at most 20 show at once (docs/console.md#words). Timers
 * pause while the pointer or the focus is on them. The last 50, except loading ones, are kept for
 * the bell.
 */
export type ToastKind = "success" | "error" | "info" | "loading";

type ToastAction = { readonly label: string; readonly run: () => void };

export type Toast = {
  readonly id: number;
  readonly kind: ToastKind;
  readonly text: string;
  /** What the message offers while it is shown. */
  readonly action: ToastAction | undefined;
  readonly atMs: number;
  /** How often it was repeated for screen readers that could not hear it. */
  readonly repeats: number;
};

const LIMIT = 20;
const HISTORY_LIMIT = 50;
const DURATION_MS: Readonly<Record<ToastKind, number | null>> = {
  success: 2_000,
  error: 4_000,
  info: 4_000,
  loading: null,
};

export type ToastState = { readonly shown: readonly Toast[]; readonly history: readonly Toast[] };

export function createToastStore(nowMs: () => number) {
  const store = createStore<ToastState>({ shown: [], history: [] });
  let nextId = 1;
  let paused = false;
  const timers = new Map<number, ReturnType<typeof setTimeout>>();

  function set(next: Partial<ToastState>): void {
    store.setState((before) => ({ ...before, ...next }));
  }
  function dismiss(id: number): void {
    clearTimeout(timers.get(id));
    timers.delete(id);
    set({ shown: store.state.shown.filter((message) => message.id !== id) });
  }
  function startTimer(message: Toast): void {
    const durationMs = DURATION_MS[message.kind];
    clearTimeout(timers.get(message.id));
    timers.delete(message.id);
    if (durationMs !== null && !paused) {
      timers.set(
        message.id,
        setTimeout(() => dismiss(message.id), durationMs),
      );
    }
  }
  function show(kind: ToastKind, text: string, action?: ToastAction): void {
    const id = nextId++;
    const message: Toast = { id, kind, text: visibleText(text), action, atMs: nowMs(), repeats: 0 };
    const isKept = kind !== "loading";
    set({
      shown: [message, ...store.state.shown].slice(0, LIMIT),
      history: isKept
        ? [message, ...store.state.history].slice(0, HISTORY_LIMIT)
        : store.state.history,
    });
    startTimer(message);
  }
  function repeatSince(before: readonly Toast[]): void {
    const known = new Set(before.map((message) => message.id));
    if (store.state.shown.every(({ id }) => known.has(id))) return;
    set({
      shown: store.state.shown.map((message) =>
        known.has(message.id) ? message : { ...message, repeats: message.repeats + 1 },
      ),
    });
  }
  function pause(): void {
    paused = true;
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
  }
  function resume(): void {
    if (!paused) return;
    paused = false;
    for (const message of store.state.shown) startTimer(message);
  }
  return {
    store,
    success: (text: string) => show("success", text),
    error: (text: string) => show("error", text),
    info: (text: string, action?: ToastAction) => show("info", text, action),
    loading: (text: string) => show("loading", text),
    dismiss,
    /** Repeats messages shown since then, so that a live region announces them. */
    repeatSince,
    pause,
    /** Restarts each shown message's full time; does nothing unless paused. */
    resume,
  };
}

export const toast = createToastStore(Date.now);
