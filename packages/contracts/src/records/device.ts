import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { PublisherSlug } from './common.ts';
import { refuseHidden } from './plain-text.ts';
import { TokenScope } from './tokens.ts';

/** Letters of a user code: 20 consonants, so that it is no word and no letter is taken for a digit (RFC 8628 section 6.1). */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** Body that starts a device sign-in. */
export const DeviceAsk = z
  .strictObject({
    client: z
      .string()
      .trim()
      .min(1)
      .max(LIMITS.device.client)
      // The page shows it to the person who approves.
      .superRefine(refuseHidden)
      .optional()
      .describe('What asks, shown as it calls itself to the person who approves.'),
    scopes: z
      .array(TokenScope)
      .min(1)
      .optional()
      .describe('What the token shall be able to do: all when left out.'),
    publisher: PublisherSlug.optional().describe(
      'The publisher it shall act for; the person may choose another.',
    ),
  })
  .meta({ id: 'DeviceAsk' });
export type DeviceAsk = z.infer<typeof DeviceAsk>;

/** Answer to the start of a device sign-in. */
export const DeviceStart = z
  .object({
    deviceCode: z.string().describe('Secret of the device; polls with it.'),
    userCode: z.string().describe('What the person types, `XXXX-XXXX`.'),
    verifyUrl: z.url().describe('Where they type it; `?code=` fills it in.'),
    interval: z.int().describe('Seconds between polls.'),
    expiresIn: z.int().describe('Seconds until the codes expire.'),
  })
  .meta({ id: 'DeviceStart' });
export type DeviceStart = z.infer<typeof DeviceStart>;

/** Body by which a device asks whether a person has approved. */
export const DevicePoll = z
  .strictObject({ deviceCode: z.string().min(1).max(200) })
  .meta({ id: 'DevicePoll' });
export type DevicePoll = z.infer<typeof DevicePoll>;

/** Answer to a poll: the token, once; or that nobody has answered yet. */
export const DevicePollAnswer = z
  .union([z.object({ token: z.string() }), z.object({ pending: z.literal(true) })])
  .meta({ id: 'DevicePollAnswer' });
export type DevicePollAnswer = z.infer<typeof DevicePollAnswer>;

/** What the person types. Too long is no mistake that a person makes by typing. */
const TypedCode = z.string().max(40);

/** The code in the address of the page, which fills in the form and does nothing else. */
export const DevicePageQuery = z.object({ code: TypedCode.optional().describe('Fills in the code.') });

/** The form of the page: which code is meant. */
export const DeviceLookForm = z.strictObject({ code: TypedCode });

const Checked = z.literal('on').optional();

/** The form by which a person approves or denies. */
export const DeviceAnswerForm = z.strictObject({
  code: TypedCode,
  seal: z.string().max(100).describe('Shows that this person has looked at this code.'),
  answer: z.enum(['approve', 'deny']),
  publisher: z.union([PublisherSlug, z.literal('')]).describe('Empty for all that the person acts for.'),
  'publish:new': Checked,
  read: Checked,
  'publish:update': Checked,
  yank: Checked,
  status: Checked,
});
export type DeviceAnswerForm = z.infer<typeof DeviceAnswerForm>;
