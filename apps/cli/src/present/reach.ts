import type { SignedFootprint } from '@svc/contracts';
import type { Field } from './fields.ts';

/** What an app may reach, as fields: the three lists that are signed and consented to. */
export const reachFields = ({ grants, domains, accounts }: SignedFootprint): Field[] => [
  ['grants', grants],
  ['domains', domains],
  ['accounts', accounts],
];
