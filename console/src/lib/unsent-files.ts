import { createStore } from "@tanstack/react-store";

/**
 * Files that this browser still has to send, for the top bar of every screen. Separate from
 * manual-upload.ts, which loads only when there is something to send.
 */
export const unsentFiles = createStore({ count: 0, percent: 0, isRunning: false });
