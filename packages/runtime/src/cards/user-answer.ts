import { z } from 'zod';

const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).max(1_000).readonly()]);

/** The answer of a user to a card, as a page sends it. */
export const UserAnswer = z.union([
  z.strictObject({
    accepted: z.literal(true),
    binding: z.exactOptional(z.string().max(200)),
    choice: z.exactOptional(z.enum(['retry', 'sign-in'])),
    allowInChat: z.exactOptional(z.literal(true)),
    content: z.exactOptional(z.record(z.string().max(200), FieldValue)),
  }),
  z.strictObject({ accepted: z.literal(false), dismissed: z.exactOptional(z.literal(true)) }),
]);
