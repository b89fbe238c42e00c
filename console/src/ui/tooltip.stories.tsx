import { Tooltip } from "./tooltip.tsx";

export function Description() {
  return (
    <Tooltip text="More about it, on hover and on focus">
      <button type="button">With a tooltip</button>
    </Tooltip>
  );
}
