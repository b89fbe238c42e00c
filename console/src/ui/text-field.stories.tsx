import { TextField } from "./text-field.tsx";

export function WithHint() {
  return <TextField label="Name" hint="As others see it" defaultValue="Some text" />;
}

export function WithError() {
  return (
    <TextField label="E-mail address" error="This is no e-mail address" defaultValue="nobody" />
  );
}
