import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { named } from '../named.ts';
import { PublisherSlug } from './common.ts';
import { refuseHidden } from './plain-text.ts';
import { TokenScope } from './tokens.ts';

/** Letters of a user code: 20 consonants, so that it spells no word and no letter looks like a digit (RFC 8628 section 6.1). */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** Request body of the start of a device sign-in. */
export const DeviceAsk = named.strictObject('DeviceAsk', {
  client: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.device.client)
    // The page shows it to the user who approves.
    .superRefine(refuseHidden)
    .optional()
    .describe('Name of the program, as shown to the user who approves.'),
  scopes: z.array(TokenScope).min(1).optional().describe('Scopes of the token; all scopes by default.'),
  publisher: PublisherSlug.optional().describe(
    'Publisher that the token acts for. The user may choose another one.',
  ),
});
export type DeviceAsk = z.infer<typeof DeviceAsk>;

/** Response to the start of a device sign-in. */
export const DeviceStart = named.object('DeviceStart', {
  deviceCode: z.string().describe('Secret with which the device polls.'),
  userCode: z.string().describe('Code that the user types, `XXXX-XXXX`.'),
  verifyUrl: z.url().describe('Page where the user types the code; `?code=` fills it in.'),
  interval: z.int().describe('Seconds between polls.'),
  expiresIn: z.int().describe('Seconds until the codes expire.'),
});
export type DeviceStart = z.infer<typeof DeviceStart>;

/** Request body of a poll. */
export const DevicePoll = named.strictObject('DevicePoll', { deviceCode: z.string().min(1).max(200) });
export type DevicePoll = z.infer<typeof DevicePoll>;

/** Response to a poll: the token, once, or `pending` until the user has answered. */
export const DevicePollAnswer = z
  .union([z.object({ token: z.string() }), z.object({ pending: z.literal(true) })])
  .meta({ id: 'DevicePollAnswer' });
export type DevicePollAnswer = z.infer<typeof DevicePollAnswer>;

/** The code as the user typed it. The limit allows for typing mistakes. */
const TypedCode = z.string().max(40);

/** Query of the page. The code only fills in the form. */
export const DevicePageQuery = z.object({ code: TypedCode.optional().describe('Fills in the code.') });

/** The form that looks up a code. */
export const DeviceLookForm = z.strictObject({ code: TypedCode });

const Checked = z.literal('on').optional();

/** The form that approves or denies. */
export const DeviceAnswerForm = z.strictObject({
  code: TypedCode,
  seal: z.string().max(100).describe('MAC that proves that the user was shown the request of this code.'),
  answer: z.enum(['approve', 'deny']),
  publisher: z.union([PublisherSlug, z.literal('')]).describe('Empty for all publishers of the user.'),
  'publish:new': Checked,
  read: Checked,
  'publish:update': Checked,
  yank: Checked,
  status: Checked,
});
export type DeviceAnswerForm = z.infer<typeof DeviceAnswerForm>;
