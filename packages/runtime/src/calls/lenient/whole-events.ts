// The event streams of servers (HTML standard, "Server-sent events"), which are read by event, and passed on as bytes where nothing is to change.

/** The end of the first event in a buffer ("Interpreting an event stream"); -1 when it has none. */
function endOfEvent(bytes: Buffer): number {
  const feeds = bytes.indexOf('\n\n');
  // Only what may end earlier is looked for in the rest: a chunk has thousands of events.
  const head = feeds === -1 ? bytes : bytes.subarray(0, feeds + 2);
  const ends = ['\r\n\r\n', '\r\r'].flatMap((mark) => {
    const at = head.indexOf(mark);
    return at === -1 ? [] : [at + mark.length];
  });
  if (feeds !== -1) ends.push(feeds + 2);
  return ends.length === 0 ? -1 : Math.min(...ends);
}

/** The value of a field of an event, its lines joined; null without one. */
export const fieldIn = (event: string, name: string): string | null => {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith(`${name}:`));
  if (lines.length === 0) return null;
  return lines.map((line) => line.slice(name.length + 1).replace(/^ /, '')).join('\n');
};

/** The chunks of a body, as whole events; the last may be incomplete. */
export async function* wholeEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // The end of an event may be split between chunks, each of a few bytes.
    const last = Buffer.concat(parts.slice(-3).map((part) => part.subarray(-3))).subarray(-3);
    if (last.length > 0 && endOfEvent(Buffer.concat([last, rest.subarray(0, 3)])) !== -1) {
      rest = Buffer.concat([...parts, rest]);
      parts = [];
    }
    for (let end = endOfEvent(rest); end !== -1; end = endOfEvent(rest)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]);
      parts = [];
      rest = rest.subarray(end);
    }
    if (rest.length > 0) parts.push(rest);
  }
  // Some servers omit the empty line after the last event.
  if (parts.length > 0) yield Buffer.concat([...parts, Buffer.from('\n\n')]);
}
