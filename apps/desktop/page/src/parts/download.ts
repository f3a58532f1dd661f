/** How long a download URL stays valid, in milliseconds: the browser has started by then. */
const DOWNLOAD_MS = 60_000;

export function download(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
}

/** The bytes of a text in base64. */
export const bytesOf = (base64: string) =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
