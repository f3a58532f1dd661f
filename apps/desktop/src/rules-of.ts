import type { Rules, Runtime } from '@svc/runtime';

/** What the company has in force. */
export const rulesOf = ({ managed }: Pick<Runtime, 'managed'>): Rules => managed?.rules() ?? [];
