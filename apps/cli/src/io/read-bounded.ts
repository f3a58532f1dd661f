/**
 * Reads the body of a response, and stops as soon as it exceeds a limit, whatever its Content-Length says.
 * @param onRead called with the number of bytes read so far
 * @returns the bytes, or null when the body exceeds the limit
 */
export async function readBounded(
  response: Response,
  limit: number,
  onRead?: (bytes: number) => void,
): Promise<Uint8Array | null> {
  if (!response.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
    onRead?.(size);
  }
  const whole = Buffer.concat(chunks, size);
  return new Uint8Array(whole.buffer, whole.byteOffset, whole.length);
}
