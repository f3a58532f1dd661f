import { etagOf } from '../platform/etag.ts';
import { type Encoding, encode } from './encoding.ts';

/** An answer ready to send. */
export type ReadyPage = { body: Uint8Array; headers: Record<string, string> & { ETag: string } };

/** An answer in every form that clients ask for. */
export type EncodedPage = {
  /** What it takes in memory, in bytes: its compressed forms are smaller, and counted before they are there. */
  bytes: number;
  /** It in a form, which is made once, however many ask. */
  in(encoding: Encoding): Promise<ReadyPage>;
  /** It in a form that is there already; otherwise null. */
  ready(encoding: Encoding): ReadyPage | null;
};

/** For two compressed forms, neither of which takes half of what the text does. */
const BYTES_WITH_ALL_FORMS = 2;

/** A strong tag belongs to one form alone (RFC 9110 section 8.8.3.3). */
const tagOfForm = (etag: string, encoding: Encoding): string =>
  encoding === 'identity' ? etag : etag.replace(/"$/, `-${encoding}"`);

/**
 * Makes an answer that clients are sent in the form they want most.
 * @param headers those of all forms
 */
export function encodePage(body: Uint8Array, headers: Record<string, string>): EncodedPage {
  const etag = etagOf(body);
  const made = new Map<Encoding, Promise<ReadyPage>>();
  const ready = new Map<Encoding, ReadyPage>();

  async function make(encoding: Encoding): Promise<ReadyPage> {
    const page = {
      body: await encode(body, encoding),
      headers: {
        ...headers,
        Vary: 'Accept-Encoding',
        ETag: tagOfForm(etag, encoding),
        ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      },
    };
    ready.set(encoding, page);
    return page;
  }

  return {
    bytes: BYTES_WITH_ALL_FORMS * body.byteLength,
    in(encoding) {
      const page = made.get(encoding) ?? make(encoding);
      made.set(encoding, page);
      // What could not be made is tried again by the next who asks.
      page.catch(() => made.delete(encoding));
      return page;
    },
    ready: (encoding) => ready.get(encoding) ?? null,
  };
}
