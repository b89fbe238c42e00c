import { createStore } from "@tanstack/react-store";

const NONE = { count: 0, percent: 0, isRunning: false };

/**
 * Files that this browser still has to send, and to save, for the top bar of every screen. Separate
 * from the queues, which load only when there is something to do.
 */
export const unsentFiles = createStore(NONE);
export const unsavedFiles = createStore(NONE);
