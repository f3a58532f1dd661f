/**
 * Reads the body of an answer, and stops as soon as it exceeds a limit, whatever its headers promised.
 * @param onRead told how many bytes there are so far
 * @returns the bytes, or null when there were more
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
