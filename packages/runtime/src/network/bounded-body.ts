import { RuntimeError } from '../platform/runtime-error.ts';

/**
 * A response that reports the end of its body, with its errors converted by `faultOf`.
 * @param onEnd called when the body was read to its end, failed or was cancelled
 * @param faultOf converts an error of the body
 */
export function watchedBody(
  response: Response,
  { onEnd, faultOf }: { onEnd: () => void; faultOf: (error: unknown) => unknown },
): Response {
  const { body, status, statusText, headers } = response;
  if (!body) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
        onEnd();
      } catch (error) {
        controller.error(faultOf(error));
        onEnd();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(watched, { status, statusText, headers });
}

/**
 * Reads all bytes of a body.
 * @param tooLarge makes the error of a larger one. Default: RuntimeError `too-large`
 */
export async function bytesOf(
  response: Response,
  maxBytes: number,
  tooLarge: () => Error = () => new RuntimeError('too-large', `The file has more than ${maxBytes} bytes.`),
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
