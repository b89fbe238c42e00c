/** Starts a browser download, which continues when the page is left. The server may name the file. */
export function startDownload(address: string, name = ""): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.rel = "noopener";
  link.click();
}
