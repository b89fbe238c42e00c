import { Archive } from "lucide-react";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

export function WithAction() {
  return (
    <EmptyState
      icon={<Archive />}
      title="Nothing here"
      hint="Why, and what to do."
      action={<Button>Do it</Button>}
    />
  );
}
