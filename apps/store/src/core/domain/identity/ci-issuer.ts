import type { CiKind } from '@svc/contracts';

/** An issuer of ID tokens of CI jobs, as configured. */
export type CiIssuer = { kind: CiKind; issuer: string };
