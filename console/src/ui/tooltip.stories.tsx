import { Button } from "./button.tsx";
import { Tooltip } from "./tooltip.tsx";

export function Description() {
  return (
    <Tooltip text="More about it, on hover and on focus">
      <Button>With a tooltip</Button>
    </Tooltip>
  );
}
