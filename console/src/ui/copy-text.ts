import { toast } from "./toast-store.ts";

/** Copies a text, and shows a message if the browser refuses. */
export async function copyText(text: string, onCopied: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    onCopied();
  } catch {
    toast.error("The browser did not allow copying");
  }
}
