/** How long an address for a download is kept, in milliseconds: the browser has begun by then. */
const DOWNLOAD_MS = 60_000;

/** Has the browser save bytes as a file. */
export function download(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
}
