/** Longest event that is taken, in characters; a stream with a longer one is not a page server's. */
const MAX_CHARS = 8 * 1024 * 1024;

/** A stream of bytes as `fetch` gives it. */
type Bytes = { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } };

/**
 * The data of each event of a page server, in whatever pieces it arrives: one line of JSON each. Comments are passed over.
 * @throws RangeError when an event is too long to be one
 */
export async function* readEvents(stream: Bytes): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    rest += decoder.decode(piece.value, { stream: true });
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    if (rest.length > MAX_CHARS) throw new RangeError('An event is longer than a page server sends any.');
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice(6));
  }
}
