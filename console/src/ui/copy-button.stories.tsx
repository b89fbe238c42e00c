import { CopyButton } from "./copy-button.tsx";

export function Plain() {
  return <CopyButton text="copied" label="Copy id" />;
}
