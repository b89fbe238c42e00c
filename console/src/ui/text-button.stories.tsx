import { TextButton } from "./text-button.tsx";

export function InText() {
  return (
    <p>
      A line with <TextButton>a text button</TextButton> and{" "}
      <TextButton disabled>a disabled one</TextButton>.
    </p>
  );
}
