// oxlint-disable-next-line import/default -- Vite exports the built worker's address
import workerUrl from "./mp4-worker.ts?worker&url";

/** Part of Trusted Types (https://w3c.github.io/trusted-types/), which TypeScript does not know yet. */
type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
};

declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypes;
  }
}

/**
 * The console's only Trusted Types policy (hosts/node/security-headers.ts). It ignores what it is
 * asked for: no caller can make it trust another script.
 */
const policy = window.trustedTypes?.createPolicy("mp4-worker", {
  createScriptURL: () => workerUrl,
});

export function startMp4Worker(): Worker {
  return new Worker(policy?.createScriptURL("") ?? workerUrl, { type: "module" });
}
