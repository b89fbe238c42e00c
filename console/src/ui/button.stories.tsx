import { RefreshCw } from "lucide-react";
import { Button, type ButtonKind } from "./button.tsx";

const KINDS: readonly ButtonKind[] = ["primary", "secondary", "quiet", "danger"];

export function Kinds() {
  return KINDS.map((kind) => (
    <Button key={kind} kind={kind} icon={<RefreshCw />}>
      A {kind} one
    </Button>
  ));
}

export function Busy() {
  return KINDS.map((kind) => (
    <Button key={kind} kind={kind} busy>
      Busy
    </Button>
  ));
}
