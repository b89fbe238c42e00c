/** Starts a browser download, which continues when the page is left. */
export function startDownload(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.rel = "noopener";
  link.click();
}
