/** Longest event that is taken, in characters; a stream with a longer one is not the desktop's. */
const MAX_CHARS = 4 * 1024 * 1024;

/** Puts lines together to events: takes one line, and gives the data of the event that it ends, if it ends one. */
function gatherer() {
  let data: string[] = [];
  let chars = 0;
  return (line: string): string | null => {
    if (line === '') {
      const whole = data.length > 0 ? data.join('\n') : null;
      [data, chars] = [[], 0];
      return whole;
    }
    if (!line.startsWith('data:')) return null;
    data.push(line.slice(line[5] === ' ' ? 6 : 5));
    chars += line.length;
    if (chars > MAX_CHARS) throw new RangeError('An event is longer than the desktop sends any.');
    return null;
  };
}

/**
 * The `data` of each event of an event stream (HTML, section 9.2.6), in whatever pieces it arrives. Fields other than `data`
 * are passed over: events of the desktop have no names and no ids.
 * @throws RangeError when an event is too long to be one
 */
export async function* readEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const gather = gatherer();
  let rest = '';
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true });
    // A CR at the end of a piece may be half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARS) throw new RangeError('A line is longer than the desktop sends any.');
    for (const line of lines) {
      const data = gather(line);
      if (data !== null) yield data;
    }
  }
}
