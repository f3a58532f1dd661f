import { MAX_TEXT } from './limits.ts';

/** Types and endings of files that are text, beside `text/…`. */
const TYPES = /^(?:text\/|application\/(?:json|xml|javascript|yaml|toml|x-sh)|[\w/.-]+\+(?:json|xml)$)/;
const ENDINGS =
  /\.(?:txt|md|markdown|csv|tsv|json|jsonl|ya?ml|toml|xml|html?|css|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cpp|cs|php|sh|sql|ini|log|tex|diff|patch)$/i;

/** Largest file that is read, in bytes, and how long a PDF may take, in milliseconds. */
const MAX_BYTES = 16 * 1024 * 1024;
const PDF_MS = 20_000;

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

export const isPicture = ({ type }: { type: string }): boolean => PICTURES.has(type);

/** Reads a PDF in a worker, which is ended after a time: the file may be hostile. */
async function readPdf(blob: Blob): Promise<string | null> {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  worker.onmessage = ({ data }: MessageEvent<{ read?: string | null }>) => {
    if (data.read !== undefined) resolve(data.read);
  };
  worker.onerror = () => resolve(null);
  const timer = setTimeout(() => resolve(null), PDF_MS);
  worker.postMessage(await blob.arrayBuffer());
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}

async function readPlain(blob: Blob): Promise<string | null> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await blob.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** The text of a file, cut to what a message takes; null if it has none that can be read here. */
export async function readText(name: string, type: string, blob: Blob): Promise<string | null> {
  if (blob.size > MAX_BYTES) return null;
  const text =
    type === 'application/pdf'
      ? await readPdf(blob)
      : TYPES.test(type) || ENDINGS.test(name)
        ? await readPlain(blob)
        : null;
  return text === null ? null : text.slice(0, MAX_TEXT);
}

/** About how many tokens a text takes: most models take one for four characters of English, and more for other scripts. */
export const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 4);
