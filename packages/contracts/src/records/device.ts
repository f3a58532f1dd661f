import { z } from 'zod';

/** Answer to the start of a device sign-in. */
export const DeviceStart = z
  .object({
    deviceCode: z.string().describe('Secret of the device; polls with it.'),
    userCode: z.string().describe('What the person types, `XXXX-XXXX`.'),
    verifyUrl: z.url(),
    interval: z.int().describe('Seconds between polls.'),
    expiresIn: z.int().describe('Seconds until the codes expire.'),
  })
  .meta({ id: 'DeviceStart' });
export type DeviceStart = z.infer<typeof DeviceStart>;
