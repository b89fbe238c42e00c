import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";
import { copyText } from "./copy-text.ts";

const CONFIRM_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRM_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? "Copied" : label}
      onClick={() => void copyText(text, () => setCopied(true))}
    >
      {copied ? <Check /> : <Copy />}
    </IconButton>
  );
}
