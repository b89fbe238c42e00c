/** What is shown instead of the screens. */
export { ConsentGate } from "../consent/consent-gate.tsx";
export { SetupGate } from "../setup/setup-gate.tsx";
export { AccessDeniedGate } from "./access-denied-gate.tsx";
export { CallbackGate } from "./callback-gate.tsx";
export { LoginGate } from "./login-gate.tsx";
