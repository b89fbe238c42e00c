import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";
import { toast } from "./toast-store.ts";

const CONFIRM_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast.error("The browser did not allow copying");
    }
  }
  return (
    <IconButton label={copied ? "Copied" : label} onClick={() => void copy()}>
      {copied ? <Check /> : <Copy />}
    </IconButton>
  );
}
