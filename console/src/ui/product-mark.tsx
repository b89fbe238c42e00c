/** The product's logo, inline: no request, and present at the first paint. */
export function ProductMark({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#7c3aed" />
      <path
        d="M9 8.5h14"
        stroke="#fff"
        strokeOpacity="0.55"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <path d="M8 13.5h16v8a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 8 21.5z" fill="#fff" />
      <path d="M14.2 16.1v5.3l4.4-2.65z" fill="#7c3aed" />
    </svg>
  );
}
