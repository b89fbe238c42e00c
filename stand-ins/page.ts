const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 44rem; padding: 0 1rem;
    overflow-wrap: anywhere; }
  h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 0; }
  button, input { font: inherit; padding: .4rem .8rem; } form { margin: 0 0 .5rem; }
  nav a { margin-right: 1rem; } .note { color: light-dark(#55555f, #b4b4bd); }
  ol { list-style: none; padding: 0; }
  ol li, article { border: 1px solid #8a8a99; border-radius: .5rem; padding: .5rem .8rem; margin: .5rem 0; }
  ol li, pre { font: inherit; white-space: pre-wrap; margin-bottom: 0; }
  .person { margin-left: 20%; }
  .account { display: flex; gap: .8rem; align-items: center; width: 100%; text-align: left; }
  iframe { width: 100%; height: 24rem; border: 1px solid #8a8a99; }`;

/** A page of a stand-in. It reloads itself every `reloadSec`, if given. */
export function page(title: string, body: string, reloadSec?: number): string {
  const reload =
    reloadSec === undefined ? "" : `<meta http-equiv="refresh" content="${reloadSec}">`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width">${reload}<link rel="icon" href="data:,">
    <title>${title}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}

const replacements: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => replacements[character] ?? "");
}
