import { extractText, getDocumentProxy } from 'unpdf';

/** Reads the text of a PDF. A file that is none, or is damaged, has no text. */
async function read(bytes: ArrayBuffer): Promise<string | null> {
  try {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
    return text.trim() || null;
  } catch {
    return null;
  }
}

/** The library has messages of its own, to a worker that it does not need here. */
addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data instanceof ArrayBuffer) void read(data).then((read) => postMessage({ read }));
});
