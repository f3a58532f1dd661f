/** Maximum length of an event, in characters; a page server never sends a longer one. */
const MAX_CHARS = 8 * 1024 * 1024;

/** The byte stream of a `fetch` response. */
type Bytes = { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } };

/**
 * Parses the events of a page server from a stream, one line of JSON each. Comments are ignored.
 * @throws RangeError when an event is too long
 */
export async function* readEvents(stream: Bytes): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    rest += decoder.decode(piece.value, { stream: true });
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    if (rest.length > MAX_CHARS) throw new RangeError('The event exceeds the maximum length.');
    for (const event of events) if (event.startsWith('data: ')) yield JSON.parse(event.slice(6));
  }
}
