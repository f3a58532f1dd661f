import type { IncomingMessage } from 'node:http';

/**
 * The value of a header field, as `request.headers` has it. That object is made when it is first read, of all fields, which takes longer
 * than the rest of a response from memory.
 * @param name in lower case
 */
export function fieldOf(request: IncomingMessage, name: string): string | undefined {
  const { rawHeaders } = request;
  let value: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] as string;
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    // Sent twice: it depends on the field whether the values are joined.
    if (value !== undefined) return request.headers[name] as string | undefined;
    value = rawHeaders[at + 1];
  }
  return value;
}
