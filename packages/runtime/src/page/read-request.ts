import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { RuntimeError } from '../platform/runtime-error.ts';

const MAX_BODY = 8 * 1024 * 1024;

const PageRequest = z.strictObject({
  session: z.string().max(100),
  method: z.string().min(1).max(100),
  params: z.unknown().optional(),
});

const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).max(1_000)]);

const CardAnswer = z.strictObject({
  id: z.string().max(100),
  answer: z.union([
    z.strictObject({ accepted: z.literal(false), dismissed: z.exactOptional(z.literal(true)) }),
    z.strictObject({
      accepted: z.literal(true),
      binding: z.exactOptional(z.string().max(200)),
      choice: z.exactOptional(z.enum(['retry', 'sign-in'])),
      allowInChat: z.exactOptional(z.literal(true)),
      content: z.exactOptional(z.record(z.string().max(200), FieldValue)),
    }),
  ]),
});

/** Reads the request of a page. @throws RuntimeError `too-large`; ZodError or SyntaxError for an invalid request */
export async function readRequest(request: IncomingMessage): Promise<z.output<typeof PageRequest>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += piece.length;
    if (bytes > MAX_BODY) throw new RuntimeError('too-large');
    pieces.push(piece);
  }
  return PageRequest.parse(JSON.parse(Buffer.concat(pieces).toString()));
}

/** Parses the answer to a card. @throws ZodError */
export const readAnswer = (params: unknown): z.output<typeof CardAnswer> => CardAnswer.parse(params);

/** Whether an error means that the page sent an invalid request. */
export const isMalformed = (error: unknown): boolean =>
  error instanceof z.ZodError || error instanceof SyntaxError;
