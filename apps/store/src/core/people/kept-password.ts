import { type Mac, openEntry, sealEntry } from '../../platform/secret.ts';
import type { Clock, RandomBytes } from '../../platform/system.ts';

/** How long a form that is shown again has the password that was typed into it. */
const KEPT_MS = 10 * 60_000;

type Deps = { keptMac: Mac; clock: Clock; random: RandomBytes };

/**
 * Encrypts a typed password for the form that is shown again because another field was refused: the page never has it as text. Only this
 * store can read it, for ten minutes, from the same browser and for the same form.
 * @param form the address of the form, and the token of the browser
 */
export const keepPassword = ({ keptMac, clock, random }: Deps, form: string, password: string): string =>
  sealEntry(keptMac(form), JSON.stringify({ until: clock().getTime() + KEPT_MS, password }), random);

/** The password that `keepPassword` encrypted for a form; undefined for any other text, and once it is too old. */
export function keptPassword({ keptMac, clock }: Deps, form: string, kept: string): string | undefined {
  try {
    const { until, password } = JSON.parse(openEntry(keptMac(form), kept)) as {
      until: number;
      password: string;
    };
    return until >= clock().getTime() ? password : undefined;
  } catch {
    // Not of this form, or of another key.
    return undefined;
  }
}
