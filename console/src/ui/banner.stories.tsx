import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";

export function Information() {
  return <Banner tone="info">Something to know.</Banner>;
}

export function Warning() {
  return (
    <Banner tone="warn" actions={<Button>Act</Button>}>
      Something to look at.
    </Banner>
  );
}

export function Failure() {
  return <Banner tone="bad">Something is broken.</Banner>;
}
