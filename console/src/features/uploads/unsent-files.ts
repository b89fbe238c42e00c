import { createStore } from "@tanstack/react-store";

/**
 * Number of files that this browser still has to send. Separate from manual-upload.ts, which loads
 * only when there is something to send.
 */
export const unsentFiles = createStore(0);
