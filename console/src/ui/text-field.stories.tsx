import { LinesField } from "./lines-field.tsx";
import { TextField } from "./text-field.tsx";

export function WithHint() {
  return <TextField label="Name" hint="As others see it" defaultValue="Some text" />;
}

export function WithError() {
  return (
    <TextField label="E-mail address" error="This is no e-mail address" defaultValue="nobody" />
  );
}

export function Disabled() {
  return <TextField label="Name" defaultValue="Some text" disabled />;
}

export function Lines() {
  return <LinesField label="Video addresses" value={"2345678901\n2345678902"} readOnly />;
}
