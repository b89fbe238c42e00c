import { Button } from "./button.tsx";
import { toast } from "./toast-store.ts";

export function Kinds() {
  return (
    <>
      <Button onClick={() => toast.success("It worked")}>Success</Button>
      <Button onClick={() => toast.error("It failed")}>Error</Button>
      <Button onClick={() => toast.info("It happened")}>Information</Button>
      <Button onClick={() => toast.loading("Working on it")}>Loading</Button>
    </>
  );
}
