import type { ReactNode } from "react";

/** What signs in (sessions, tokens): each with its facts and what can be done to it. */
export function CredentialList<T extends { readonly id: string }>({
  credentials,
  children,
}: {
  readonly credentials: readonly T[];
  readonly children: (credential: T) => ReactNode;
}) {
  return (
    <ul className="stack gap4 ruled">
      {credentials.map((credential) => (
        <li key={credential.id} className="stack gap3 left anywhere">
          {children(credential)}
        </li>
      ))}
    </ul>
  );
}
