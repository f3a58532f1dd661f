import { RuntimeRefusal } from '../platform/refusal.ts';

/** Responses without a body (Fetch standard, "null body status"). */
const NO_BODY = new Set([101, 204, 205, 304]);

/**
 * A response whose body ends in a refusal once it has more bytes than allowed, as they are after decompression.
 * @param onEnd told when the body was read to its end, refused or let go of
 * @param faultOf what to say of an error that ended the body
 */
export function boundedBody(
  response: Response,
  maxBytes: number,
  { onEnd, faultOf }: { onEnd: () => void; faultOf: (error: unknown) => unknown },
): Response {
  const { body, status, statusText, headers } = response;
  if (!body || NO_BODY.has(status)) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let bytes = 0;
  const bounded = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return onEnd();
        }
        bytes += value.byteLength;
        if (bytes > maxBytes)
          throw new RuntimeRefusal('too-large', `The answer has more than ${maxBytes} bytes.`);
        controller.enqueue(value);
      } catch (error) {
        controller.error(faultOf(error));
        onEnd();
        await reader.cancel().catch(() => undefined);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(bounded, { status, statusText, headers });
}

/**
 * All bytes of a body.
 * @throws RuntimeRefusal `too-large`
 */
export async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new RuntimeRefusal('too-large', `The file has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
