import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { visibleText } from "#console/lib/visible-text.ts";
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

/** An id, key or address with a button that copies it; "None" without one. */
export function Copyable({
  text,
  label,
}: {
  readonly text: string | null;
  readonly label: string;
}) {
  if (text === null) return "None";
  return (
    <>
      <code>{visibleText(text)}</code>
      <CopyButton text={text} label={`Copy ${label}`} />
    </>
  );
}
